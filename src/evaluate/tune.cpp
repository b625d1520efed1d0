#include "summand/tune.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "index/cell_order.h"
#include "index/cell_tables.h"
#include "index/index_parts.h"
#include "kernels/kernels.h"
#include "model/transform.h"
#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

// In look-ups: an entry of the tables that are added for a cell, and a dimension of a vector that is scored again, one
// that the index holds or one that is read or put together.
constexpr double kEntryCost = 4, kHeldDimensionCost = 4, kDimensionCost = 50;
constexpr std::size_t kMostRefined = 256;  // candidates scored again for each answer
constexpr std::size_t kQueryBlock = 64;
constexpr std::size_t kInVain = 2;  // doublings that find nothing more and end the climb

struct Visits {
    double cells = 0, vectors = 0;
};

Visits visits_of_block(const InvertedIndex& index, MatrixView<float> queries, const SearchParameters& parameters) {
    const ListParts lists(*IndexParts::lists(index));
    const CellScores scores("tune", IndexParts::cells(index), lists, queries, 0, ProbeLimit::of(parameters));
    Visits visits;
    for (std::size_t q = 0; q < queries.rows(); ++q)
        for (const Probe& probe : scores.nearest(q)) {
            visits.cells += 1;
            visits.vectors += static_cast<double>(lists.length(probe.cell));
        }
    return visits;
}

// Means over the queries.
Visits visits_of(const Index& index, MatrixView<float> queries, const SearchParameters& parameters,
                 const Execution& execution) {
    if (!index.inverted()) return {0, static_cast<double>(index.size())};
    std::vector<Visits> blocks((queries.rows() + kQueryBlock - 1) / kQueryBlock);
    parallel_ranges(execution, queries.rows(), kQueryBlock, [&](std::size_t first, std::size_t last) {
        blocks[first / kQueryBlock] =
            visits_of_block(*index.inverted(), queries.slice(first, last - first), parameters);
    });
    Visits mean;
    for (const Visits& block : blocks) {
        mean.cells += block.cells / static_cast<double>(queries.rows());
        mean.vectors += block.vectors / static_cast<double>(queries.rows());
    }
    return mean;
}

// How many cells queries visit: each the same number, each those within a reach, or until lists hold enough vectors.
enum class Cells : std::uint8_t { probes, reach, candidates };

struct Setting {
    Cells cells;
    std::size_t effort;  // cells, of which `reach` gives a mean, or vectors
    std::size_t refine;
};

// Distances of cells from queries, as multiples of that of the query's eighth cell.
class Reaches {
public:
    static constexpr std::size_t kMostCells = 1024;  // of a query

    Reaches(const InvertedIndex& index, MatrixView<float> queries, const Execution& execution)
        : queries_(queries.rows()), multiples_(queries.rows()) {
        parallel_ranges(execution, queries.rows(), kQueryBlock, [&](std::size_t first, std::size_t last) {
            const MatrixView<float> block = queries.slice(first, last - first);
            const ListParts lists(*IndexParts::lists(index));
            const CellScores scores("tune", IndexParts::cells(index), lists, block, 0, {.probes = kMostCells});
            for (std::size_t q = 0; q < block.rows(); ++q) {
                const double square = kernels().dot(block.row(q), block.row(q), block.columns());
                const std::vector<Probe> cells = scores.nearest(q);
                for (std::size_t i = kReachCell; i < cells.size(); ++i)
                    multiples_[first + q].push_back(
                        std::sqrt((cells[i].score + square) / std::max(1e-30, cells[kReachCell - 1].score + square)));
            }
        });
        for (const std::vector<double>& own : multiples_) sorted_.insert(sorted_.end(), own.begin(), own.end());
        std::sort(sorted_.begin(), sorted_.end());
    }

    // The reach that so many cells have on average; none where queries are not known to have as many.
    std::optional<float> of(std::size_t cells) const {
        if (cells <= kReachCell || 2 * cells > kMostCells) return std::nullopt;
        const std::size_t rank = (cells - kReachCell) * queries_;
        if (rank > sorted_.size()) return std::nullopt;
        const double reach = std::ceil(sorted_[rank - 1] * 1000) / 1000;
        return reach < kMostReach ? std::optional(static_cast<float>(reach)) : std::nullopt;
    }

private:
    static constexpr double kMostReach = 1e6;  // what is larger comes from queries that lie on centres

    std::size_t queries_;
    std::vector<std::vector<double>> multiples_;
    std::vector<double> sorted_;
};

class Tuner {
public:
    Tuner(const Index& index, MatrixView<float> queries, MatrixView<std::int64_t> truth, const TuneTarget& target,
          const Execution& execution)
        : index_(index), queries_(queries), truth_(truth), target_(target), execution_(execution) {
        if (index.metric() == Metric::cosine) scaled_ = of_unit_length(queries, "tune");
        if (index.inverted() && has_reach(index.inverted()->model()))
            reaches_.emplace(*index.inverted(), for_cells(), execution);
    }

    Tuning run() {
        const Cells cells = by_candidates() ? Cells::candidates : Cells::probes;
        if (!reaches(measured(costed({cells, most_effort(), refine_counts().back()})))) return std::move(tuning_);
        for (const std::size_t refine : refine_counts()) {
            cheapest_with(cells, refine);
            if (reaches_) cheapest_with(Cells::reach, refine);
        }
        narrow();
        return std::move(tuning_);
    }

private:
    // A setting, and what was found by it.
    struct Tried {
        Setting setting;
        Trial trial;
    };

    MatrixView<float> for_cells() const { return scaled_.empty() ? queries_ : scaled_.view(); }

    // Counts cells if they are words of one dictionary. Pairs of words are many and most of them are empty, so vectors
    // are counted there.
    bool by_candidates() const {
        return index_.inverted() && index_.inverted()->model().partition.dictionaries.count == 2;
    }
    std::size_t most_effort() const {
        if (!index_.inverted()) return 0;
        return std::max<std::size_t>(1, by_candidates() ? index_.size() : index_.inverted()->model().partition.cells());
    }
    std::size_t least_effort(Cells cells) const {
        const std::size_t least = cells == Cells::candidates ? target_.answers
                                  : cells == Cells::reach    ? 2 * kReachCell
                                                             : 1;
        return std::min(most_effort(), least);
    }

    std::vector<std::size_t> refine_counts() const {
        std::vector<std::size_t> counts{0};
        if (!index_.refinement()) return counts;
        const std::size_t most = std::min(index_.size(), kMostRefined * target_.answers);
        for (std::size_t count = target_.answers; count < most; count *= 2) counts.push_back(count);
        counts.push_back(std::max(most, target_.answers));
        return counts;
    }

    // Empty where no reach is known for the effort.
    std::optional<SearchParameters> parameters_of(const Setting& setting) const {
        SearchParameters result;
        if (index_.refinement()) result.refine = setting.refine;
        if (setting.cells == Cells::probes) result.probes = setting.effort;
        if (setting.cells == Cells::candidates) result.candidates = setting.effort;
        if (setting.cells != Cells::reach) return result;
        const std::optional<float> reach = reaches_->of(setting.effort);
        if (!reach) return std::nullopt;
        result.reach = *reach;
        return result;
    }

    std::optional<Tried> costed(const Setting& setting) const {
        const std::optional<SearchParameters> parameters = parameters_of(setting);
        if (!parameters) return std::nullopt;
        Trial trial{.parameters = *parameters};
        const Visits visits = visits_of(index_, for_cells(), trial.parameters, execution_);
        trial.cells = visits.cells;
        trial.vectors = visits.vectors;
        const Dictionaries& words = index_.quantizer().dictionaries;
        const auto M = static_cast<double>(words.count), K = static_cast<double>(words.words);
        const bool tables = index_.inverted() && IndexParts::cells(*index_.inverted()).per_cell();
        trial.cost = M * trial.vectors + (tables ? kEntryCost * M * K * trial.cells : 0) +
                     dimension_cost() * static_cast<double>(index_.dimensions() * setting.refine);
        return Tried{setting, trial};
    }

    double dimension_cost() const {
        const bool held = index_.refinement() && std::holds_alternative<RefineRows>(*index_.refinement());
        return held ? kHeldDimensionCost : kDimensionCost;
    }

    Trial measured(std::optional<Tried> tried) {
        Trial& trial = tried->trial;
        const Stopwatch watch;
        const Neighbors found = index_.search(
            queries_, SearchOptions{.k = target_.answers, .execution = execution_}.with(trial.parameters));
        trial.seconds = watch.seconds();
        trial.recall = recall(found, truth_, target_.answers, target_.truths);
        tuning_.trials.push_back(trial);
        if (reaches(trial) && is_cheaper(trial)) {
            tuning_.chosen = trial;
            chosen_ = tried->setting;
        }
        return trial;
    }

    bool reaches(const Trial& trial) const { return trial.recall >= target_.recall; }
    bool is_cheaper(const Trial& trial) const { return !tuning_.chosen || trial.cost < tuning_.chosen->cost; }

    // Doubles the effort until the target is reached, more vectors find no more, or no setting can be cheaper any more.
    void cheapest_with(Cells cells, std::size_t refine) {
        Trial before;
        std::size_t in_vain = 0;
        for (std::size_t now = least_effort(cells);; now = std::min(2 * now, most_effort())) {
            const std::optional<Tried> next = costed({cells, now, refine});
            if (!next || !is_cheaper(next->trial)) return;
            const Trial trial = measured(next);
            if (reaches(trial) || now == most_effort()) return;
            if (trial.vectors > before.vectors) in_vain = trial.recall == before.recall ? in_vain + 1 : 0;
            if (in_vain == kInVain) return;
            before = trial;
        }
    }

    // Searches between the effort that was enough and half of it, to a sixteenth.
    void narrow() {
        Setting setting = chosen_;
        std::size_t enough = setting.effort, too_little = enough / 2;
        while (enough - too_little > std::max<std::size_t>(1, enough / 16)) {
            setting.effort = too_little + (enough - too_little) / 2;
            const std::optional<Tried> next = costed(setting);
            (next && reaches(measured(next)) ? enough : too_little) = setting.effort;
        }
    }

    const Index& index_;
    MatrixView<float> queries_;
    Matrix<float> scaled_;  // the queries, for cosine
    MatrixView<std::int64_t> truth_;
    const TuneTarget& target_;
    const Execution& execution_;
    std::optional<Reaches> reaches_ = {};  // where cells have distances
    Setting chosen_ = {};
    Tuning tuning_ = {};
};

// The target of a text without anything wrong.
std::optional<TuneTarget> target_of(std::string_view text) {
    TuneTarget target;
    const auto accept = [&](std::string_view word) {
        const bool here = text.starts_with(word);
        if (here) text.remove_prefix(word.size());
        return here;
    };
    const auto read = [&](auto& value) {
        const auto [stopped, status] = std::from_chars(text.data(), text.data() + text.size(), value);
        text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
        return status == std::errc() && value > 0;
    };
    if (!accept("recall@") || !read(target.answers)) return std::nullopt;
    target.truths = target.answers;
    if (accept("of") && !read(target.truths)) return std::nullopt;
    const bool right = accept("=") && read(target.recall) && text.empty();
    return right && target.recall <= 1 && target.truths <= target.answers ? std::optional(target) : std::nullopt;
}

}  // namespace

TuneTarget parse_target(std::string_view text) {
    const std::optional<TuneTarget> target = target_of(text);
    require(target.has_value(),
            "expected recall@R=VALUE or recall@RofT=VALUE (recall@10=0.95, recall@100of1=0.9), got '", text, "'");
    return *target;
}

Tuning tune(const Index& index, MatrixView<float> queries, MatrixView<std::int64_t> truth, const TuneTarget& target,
            const Execution& execution) {
    require(target.recall > 0 && target.recall <= 1, "tune: expected a recall above 0 and up to 1, got ",
            target.recall);
    require(target.answers > 0, "tune: expected at least 1 answer, got 0");
    require(!queries.empty(), "tune: expected at least one query, got none");
    require(truth.rows() >= queries.rows(), "tune: expected a truth row for each of ", queries.rows(), " queries, got ",
            truth.rows());
    require(target.truths > 0 && target.truths <= truth.columns(), "tune: expected the ", target.truths,
            " nearest true neighbours of each query, got ", truth.columns());
    return Tuner(index, queries, truth, target, execution).run();
}

}  // namespace summand
