#include <algorithm>
#include <bit>
#include <cmath>

#include "index/batch_scan.h"
#include "index/packed_codes.h"
#include "index/selection.h"
#include "model/lookup.h"
#include "summand/error.h"
#include "summand/index.h"

namespace summand {
namespace {

// The k best of a query.
class Nearest {
public:
    explicit Nearest(std::size_t k) : k_(k), top_(k) {}
    Nearest(std::size_t k, Neighbor limit) : k_(k), top_(k, limit) {}

    const Neighbor& limit() const { return top_.limit(); }
    void offer(Neighbor entry) { top_.offer(entry); }

    // `sample`: scores of a fraction of all vectors. Of these, k·fraction are among the k best, give or take a few: the
    // rank below is too small for one query in several hundred.
    void guess(std::vector<float> sample, double fraction) {
        const double expected = static_cast<double>(k_) * fraction;
        const auto rank = static_cast<std::size_t>(expected + 2.5 * std::sqrt(expected) + 3);
        if (rank < sample.size()) top_ = TopK(k_, {smallest(sample, std::min(rank, k_)), kLastId});
    }
    bool complete() const { return top_.size() >= k_; }

    Nearest heir() const { return {k_, top_.limit()}; }
    void absorb(Nearest& other) {
        for (const Neighbor& entry : other.take()) top_.offer(entry);
    }
    std::vector<Neighbor> take() { return top_.take(); }

private:
    static constexpr std::int64_t kLastId = std::numeric_limits<std::int64_t>::max();

    // The rank-th smallest value, counted from 1.
    static float smallest(std::vector<float>& values, std::size_t rank) {
        const auto last = values.begin() + static_cast<std::ptrdiff_t>(rank);
        if (rank * 8 < values.size())
            std::partial_sort(values.begin(), last, values.end());  // one pass with a small heap
        else
            std::nth_element(values.begin(), last - 1, values.end());
        return *(last - 1);
    }

    std::size_t k_;
    TopK top_;
};

// All entries of a query with a score below a radius.
class Within {
public:
    explicit Within(float radius) : limit_{radius, std::numeric_limits<std::int64_t>::min()} {}

    const Neighbor& limit() const { return limit_; }
    void offer(Neighbor entry) {
        if (entry < limit_) entries_.push_back(entry);
    }
    void guess(const std::vector<float>&, double) {}
    bool complete() const { return true; }

    Within heir() const { return Within(limit_.score); }
    void absorb(Within& other) { entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end()); }
    std::vector<Neighbor> take() {
        std::sort(entries_.begin(), entries_.end());
        return std::move(entries_);
    }

private:
    Neighbor limit_;
    std::vector<Neighbor> entries_;
};

// Enough words for a limit near the final one: all of them where that is most of the work anyhow.
Seeds seeds_for(const PackedCodes& codes, const Selection& selection, std::size_t k) {
    constexpr std::size_t kLeastFiltered = 128;
    constexpr std::size_t kWorthScanning = 4;
    const std::size_t least =
        selection.filtered() ? kLeastFiltered : std::clamp<std::size_t>(codes.size() / 64, 512, 1024);
    const std::size_t wanted = std::max(least, k);
    const std::size_t words = (codes.size() + kWordVectors - 1) / kWordVectors;
    const std::size_t per_word = std::max<std::size_t>(1, words * wanted / std::max<std::size_t>(1, selection.kept()));
    const std::size_t step = words / per_word;
    return {step < kWorthScanning ? 1 : std::bit_floor(step)};
}

void write_row(const std::vector<Neighbor>& entries, std::size_t row, Neighbors& found) {
    for (std::size_t j = 0; j < entries.size(); ++j) {
        found.ids[row][j] = entries[j].id;
        found.scores[row][j] = entries[j].score;
    }
}

// Throws where the codes do not belong to the model.
std::shared_ptr<const TableBuilder> tables_of(const Quantizer& quantizer, const PackedCodes& packed, Metric metric) {
    const Dictionaries& words = quantizer.dictionaries;
    require(packed.parts().model == identity(quantizer),
            "index: codes were made by another model; encode the vectors with the model of this index");
    require(packed.dictionaries() == words.count && packed.parts().words == words.words, "index: expected codes of ",
            words.count, " dictionaries of ", words.words, " words, got ", packed.dictionaries(), " of ",
            packed.parts().words);
    require(packed.has_bias() == (quantizer.bias != Bias::none && metric == Metric::euclidean),
            "index: expected codes ", packed.has_bias() ? "without" : "with", " biases for this model and metric");
    return std::make_shared<TableBuilder>(quantizer, metric, packed.slot_order());
}

}  // namespace

FlatIndex::FlatIndex(Quantizer quantizer, const Codes& codes, Metric metric)
    : quantizer_(std::move(quantizer)),
      packed_(PackedCodes::pack(codes, quantizer_, metric)),
      metric_(metric),
      tables_(tables_of(quantizer_, *packed_, metric)) {}

FlatIndex::FlatIndex(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric)
    : quantizer_(std::move(quantizer)),
      packed_(std::move(packed)),
      metric_(metric),
      tables_(tables_of(quantizer_, *packed_, metric)) {}

std::size_t FlatIndex::size() const { return packed_->size(); }
Codes FlatIndex::codes() const {
    Codes codes = packed_->unpack();
    if (quantizer_.bias == Bias::derived) codes.bias.clear();
    return codes;
}
std::size_t FlatIndex::memory_bytes() const { return packed_->memory_bytes(); }

Neighbors FlatIndex::search(MatrixView<float> queries, const SearchOptions& options) const {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    const Selection selection(size(), options.filter);
    const std::size_t k = std::min(options.k, selection.kept());
    const ScanJob job{.what = "search",
                      .codes = *packed_,
                      .tables = *tables_,
                      .selection = selection,
                      .seeds = seeds_for(*packed_, selection, k),
                      .execution = options.execution};
    Neighbors found{{queries.rows(), options.k, kNoId},
                    {queries.rows(), options.k, std::numeric_limits<float>::infinity()}};
    std::vector<Nearest> nearest = BatchScan<Nearest>(job, queries).run(Nearest(k));
    for (std::size_t i = 0; i < queries.rows(); ++i) write_row(nearest[i].take(), i, found);
    return found;
}

RangeNeighbors FlatIndex::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    const Selection selection(size(), options.filter);
    const ScanJob job{.what = "search_range",
                      .codes = *packed_,
                      .tables = *tables_,
                      .selection = selection,
                      .seeds = kNoSeeds,
                      .execution = options.execution};
    RangeNeighbors found{{0}, {}};
    for (Within& within : BatchScan<Within>(job, queries).run(Within(radius))) {
        const std::vector<Neighbor> entries = within.take();
        found.entries.insert(found.entries.end(), entries.begin(), entries.end());
        found.begin.push_back(found.entries.size());
    }
    return found;
}

}  // namespace summand
