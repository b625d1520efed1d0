#include "summand/quantizer.h"

#include <algorithm>

#include "base/hash.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "model/decode.h"
#include "model/transform.h"
#include "summand/error.h"

namespace summand {
namespace {

template <class T>
std::uint64_t hash_of(const std::vector<T>& values, std::uint64_t seed) {
    return hash64(values.data(), values.size() * sizeof(T), seed);
}

constexpr std::string_view kEffortNames[] = {"fast", "default", "best"};
constexpr std::string_view kSearchNames[] = {"modes", "beam", "residual", "tree"};

}  // namespace

std::string_view name(Effort effort) { return kEffortNames[static_cast<std::size_t>(effort)]; }

std::string_view name(CodeSearch search) { return kSearchNames[static_cast<std::size_t>(search)]; }

Effort parse_effort(std::string_view text) {
    const auto* found = std::find(std::begin(kEffortNames), std::end(kEffortNames), text);
    require(found != std::end(kEffortNames), "effort: expected fast, default or best, got '", text, "'");
    return static_cast<Effort>(found - std::begin(kEffortNames));
}

std::size_t Quantizer::code_bytes() const {
    const std::size_t codes = dictionaries.words <= 16 ? (dictionaries.count + 1) / 2 : dictionaries.count;
    return codes + (bias == Bias::stored ? sizeof(float) : 0);
}

std::uint64_t identity(const Quantizer& quantizer) {
    const std::uint64_t shape[] = {quantizer.dictionaries.count, quantizer.dictionaries.words, quantizer.dimensions(),
                                   quantizer.unit_length + 2u * quantizer.binary_queries,
                                   static_cast<std::uint64_t>(quantizer.bias)};
    std::uint64_t hash = hash64(shape, sizeof(shape));
    hash = hash_of(quantizer.centre, hash);
    hash = hash_of(quantizer.rotation.values(), hash);
    hash = hash_of(quantizer.dictionaries.rows.values(), hash);
    hash = hash_of(quantizer.dictionaries.block_begin, hash);
    hash = hash_of(quantizer.word_offsets, hash);
    return hash;
}

void require_own_codes(const Quantizer& quantizer, const Codes& codes, const char* what) {
    require(codes.model == identity(quantizer), what,
            ": codes were made by another model; expected those that this model encoded");
}

Matrix<float> decode(const Quantizer& quantizer, const Codes& codes, const Execution& execution) {
    require_own_codes(quantizer, codes, "decode");
    return decode_rows(quantizer, codes.rows.view(), execution);
}

Matrix<float> decode_rows(const Quantizer& quantizer, MatrixView<std::uint8_t> rows, const Execution& execution) {
    const Dictionaries& words = quantizer.dictionaries;
    require(rows.columns() == words.count, "decode: expected codes of ", words.count, " bytes, got ", rows.columns());
    Matrix<float> sums(rows.rows(), words.dimensions());
    parallel_ranges(execution, rows.rows(), 1024, [&](std::size_t first, std::size_t last) {
        std::vector<const float*> chosen(words.count);
        for (std::size_t i = first; i < last; ++i) {
            for (std::size_t m = 0; m < words.count; ++m) {
                require(rows[i][m] < words.words, "decode: row ", i, " names word ", int{rows[i][m]},
                        " of a dictionary of ", words.words, " words");
                chosen[m] = words.word(m, rows[i][m]);
            }
            kernels().sum_rows(chosen.data(), words.count, words.dimensions(), sums.row(i));
        }
    });
    return from_code_space(quantizer, sums.view(), execution);
}

}  // namespace summand
