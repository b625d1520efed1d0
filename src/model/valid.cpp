#include "model/valid.h"

#include <algorithm>
#include <cmath>

#include "summand/error.h"

namespace summand {
namespace {

bool all_finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

void require_finite(bool finite, const char* what, const char* part) {
    require(finite, what, ": ", part, " a number that is not finite");
}

bool finite_settings(const EncoderSettings& encoder) {
    return std::isfinite(encoder.penalty) && std::isfinite(encoder.theta) && std::isfinite(encoder.expectation) &&
           std::isfinite(encoder.absolute_penalty) && std::isfinite(encoder.norm);
}

}  // namespace

bool valid_blocks(const std::vector<std::size_t>& begin, std::size_t count, std::size_t dimensions) {
    return begin.size() == count + 1 && begin.front() == 0 && begin.back() == dimensions &&
           std::is_sorted(begin.begin(), begin.end());
}

bool valid_groups(const std::vector<std::uint64_t>& begin, std::size_t groups, std::size_t cells) {
    return begin.size() == groups + 1 && begin.front() == 0 && begin.back() == cells &&
           std::is_sorted(begin.begin(), begin.end());
}

void require_valid(const Quantizer& q, const char* what) {
    const Dictionaries& words = q.dictionaries;
    const std::size_t D = q.dimensions();
    require(words.count >= 1 && words.count <= kMaxDictionaries, what, ": expected 1 to ", kMaxDictionaries,
            " dictionaries, got ", words.count);
    require(words.words >= 2 && words.words <= kMaxWords, what, ": expected 2 to ", kMaxWords, " words, got ",
            words.words);
    require(D >= 1 && D <= kMostColumns, what, ": expected a centre of at least 1 dimension, got ", D);
    require(words.rows.rows() == words.count * words.words && words.dimensions() == D, what, ": expected words of ",
            words.count * words.words, "×", D, ", got ", words.rows.rows(), "×", words.dimensions());
    require(q.word_offsets.size() == words.count * words.words, what, ": expected ", words.count * words.words,
            " word offsets, got ", q.word_offsets.size());
    require(q.rotation.empty() || (q.rotation.rows() == D && q.rotation.columns() == D), what,
            ": expected a rotation of ", D, "×", D, ", got ", q.rotation.rows(), "×", q.rotation.columns());
    require(!words.blocks() || valid_blocks(words.block_begin, words.count, D), what,
            ": expected blocks that cover all ", D, " dimensions in order");
    require_finite(all_finite(q.rotation.values()), what, "the rotation holds");
    require_finite(all_finite(q.centre), what, "the centre holds");
    require_finite(all_finite(words.rows.values()), what, "the words hold");
    require_finite(all_finite(q.word_offsets), what, "the word offsets hold");
    require_finite(finite_settings(q.encoder), what, "the encoder settings hold");
}

void require_valid(const Partition& partition, const char* what) {
    const Dictionaries& words = partition.dictionaries;
    const std::size_t D = partition.dimensions(), G = partition.groups.rows();
    require(words.count == 1 || words.count == 2, what, ": expected cells of 1 or 2 dictionaries, got ", words.count);
    const std::size_t most = words.count == 1 ? kMaxCellWords : kMaxPairedCellWords;
    require(words.words >= 1 && words.words <= most, what, ": expected 1 to ", most, " words of cells, got ",
            words.words);
    require(words.rows.rows() == words.count * words.words && D >= 1 && D <= kMostColumns, what,
            ": expected words of cells of ", words.count * words.words, " rows, got ", words.rows.rows(), "×", D);
    require(partition.word_offsets.size() == words.rows.rows(), what, ": expected ", words.rows.rows(),
            " offsets of cells, got ", partition.word_offsets.size());
    require(G == 0 || (words.count == 1 && partition.groups.columns() == D &&
                       valid_groups(partition.group_begin, G, words.words)),
            what, ": expected groups that divide ", words.words, " cells of ", D, " dimensions");
    require_finite(all_finite(words.rows.values()) && all_finite(partition.groups.values()), what, "the cells hold");
    require_finite(all_finite(partition.word_offsets), what, "the offsets of cells hold");
}

}  // namespace summand
