#include "index/grouped_cells.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kernels/kernels.h"
#include "math/norms.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kLeastGroups = 8;
constexpr std::size_t kSpareCells = 32;    // scored for each that is probed
constexpr std::size_t kSpareVectors = 16;  // in the lists of those cells, for each candidate
constexpr std::size_t kLanes = 16;

std::size_t rounded_up(std::size_t words) { return (words + kLanes - 1) / kLanes * kLanes; }

using Visit = std::pair<std::uint32_t, std::uint32_t>;  // a group, and the query that visits it

Matrix<float> gathered(MatrixView<float> rows, std::span<const Visit> visits) {
    Matrix<float> result(visits.size(), rows.columns());
    for (std::size_t i = 0; i < visits.size(); ++i)
        std::copy_n(rows.row(visits[i].second), rows.columns(), result.row(i));
    return result;
}

}  // namespace

GroupedCells::ScoredWords::ScoredWords(MatrixView<float> words, const float* offsets, float factor)
    : offsets_(rounded_up(words.rows())), panels_(offsets_.size() * words.columns()), factor_(factor) {
    if (offsets) std::copy_n(offsets, words.rows(), offsets_.data());
    const std::vector<float> none(words.columns());
    panels_.add(0, stride(), 0, words.columns(),
                [&](std::size_t s) { return s < words.rows() ? words.row(s) : none.data(); });
}

bool GroupedCells::ScoredWords::score(MatrixView<float> queries, float* scores) const {
    panels_.products(queries, stride(), scores);
    bool finite = true;
    for (std::size_t q = 0; q < queries.rows(); ++q)
        finite &= kernels().scan.finish(offsets_.data(), factor_, stride(), scores + q * stride());
    return finite;
}

GroupedCells::ScoredWords GroupedCells::scored(MatrixView<float> words, const float* offsets, Metric metric) {
    return is_distance(metric) ? ScoredWords(words, offsets, -2) : ScoredWords(words, nullptr, -1);
}

GroupedCells::GroupedCells(const Partition& partition, Metric metric)
    : begin_(partition.group_begin),
      groups_(scored(partition.groups.view(), squared_norms(partition.groups.view()).data(), metric)) {
    for (std::size_t g = 0; g + 1 < begin_.size(); ++g)
        cells_.push_back(scored(partition.dictionaries.rows.view().slice(begin_[g], cells_of(g)),
                                partition.word_offsets.data() + begin_[g], metric));
}

std::vector<std::uint32_t> GroupedCells::nearest_groups(const float* scores, const ListParts& lists,
                                                        const ProbeLimit& limit) const {
    std::vector<Probe> heap(cells_.size());
    for (std::uint32_t g = 0; g < heap.size(); ++g) heap[g] = {g, scores[g]};
    const auto later = [](const Probe& a, const Probe& b) { return b < a; };
    std::make_heap(heap.begin(), heap.end(), later);
    std::vector<std::uint32_t> nearest;
    std::size_t cells = 0, vectors = 0;
    const auto enough = [&] {
        if (nearest.size() < kLeastGroups) return false;
        return limit.candidates > 0 ? vectors / kSpareVectors >= limit.candidates : cells / kSpareCells >= limit.probes;
    };
    while (!heap.empty() && !enough()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const std::uint32_t group = heap.back().cell;
        heap.pop_back();
        nearest.push_back(group);
        cells += cells_of(group);
        vectors += lists.length(begin_[group], begin_[group + 1]);
    }
    return nearest;
}

std::vector<ScoredCells> GroupedCells::near(const char* what, MatrixView<float> queries, std::size_t first_row,
                                            const ListParts& lists, const ProbeLimit& limit) const {
    std::vector<float> scores;
    // Scores `rows` with `words`. Row i is query number(i), for the message.
    const auto score = [&](const ScoredWords& words, MatrixView<float> rows, auto number) {
        scores.resize(std::max(scores.size(), rows.rows() * words.stride()));
        if (words.score(rows, scores.data())) return;
        for (std::size_t i = 0; i < rows.rows(); ++i)
            require(words.score(rows.slice(i, 1), scores.data()), what, ": row ", first_row + number(i),
                    " makes scores of cells that are not finite");
    };
    score(groups_, queries, [](std::size_t i) { return i; });
    std::vector<Visit> visits;
    for (std::uint32_t q = 0; q < queries.rows(); ++q)
        for (const std::uint32_t group : nearest_groups(scores.data() + q * groups_.stride(), lists, limit))
            visits.emplace_back(group, q);
    std::sort(visits.begin(), visits.end());
    std::vector<ScoredCells> found(queries.rows());
    for (std::size_t first = 0, last = 0; first < visits.size(); first = last) {
        const std::uint32_t group = visits[first].first;
        while (last < visits.size() && visits[last].first == group) ++last;
        const std::span own(visits.data() + first, last - first);
        score(cells_[group], gathered(queries, own).view(), [&](std::size_t i) { return own[i].second; });
        for (std::size_t i = 0; i < own.size(); ++i) {
            ScoredCells& near = found[own[i].second];
            const float* row = scores.data() + i * cells_[group].stride();
            near.scores.insert(near.scores.end(), row, row + cells_of(group));
            for (std::size_t cell = begin_[group]; cell < begin_[group + 1]; ++cell)
                near.cells.push_back(static_cast<std::uint32_t>(cell));
        }
    }
    return found;
}

}  // namespace summand
