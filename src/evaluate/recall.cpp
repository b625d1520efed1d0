// Recall and mean average precision: how much of the truth is among the answers.
#include <algorithm>
#include <span>
#include <vector>

#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

// Ids of one query's truth, for lookup. Negative ids fill up rows of a truth that had fewer neighbours.
class TruthSet {
public:
    TruthSet(std::span<const std::int64_t> row, std::size_t count) {
        std::copy_if(row.begin(), row.begin() + count, std::back_inserter(ids_), [](auto id) { return id >= 0; });
        std::sort(ids_.begin(), ids_.end());
        ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    }

    std::size_t size() const { return ids_.size(); }
    bool contains(std::int64_t id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

private:
    std::vector<std::int64_t> ids_;
};

void require_comparable(const char* measure, const Neighbors& found, MatrixView<std::int64_t> truth,
                        std::size_t truths) {
    require(found.ids.rows() > 0, measure, ": expected at least one query, got none");
    require(found.ids.rows() <= truth.rows(), measure, ": expected a truth row for each of ", found.ids.rows(),
            " queries, got ", truth.rows());
    require(truths > 0, measure, ": expected at least one true neighbour, got 0");
    require(truths <= truth.columns(), measure, ": expected at most the ", truth.columns(),
            " true neighbours the truth has per query, got ", truths);
}

TruthSet truth_of(const char* measure, MatrixView<std::int64_t> truth, std::size_t query, std::size_t truths) {
    TruthSet set(truth[query], truths);
    require(set.size() > 0, measure, ": expected true neighbours of query ", query, ", got a row without any");
    return set;
}

double average_precision(std::span<const std::int64_t> found, const TruthSet& truth) {
    double sum = 0;
    std::size_t hits = 0;
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        if (truth.contains(found[rank])) sum += static_cast<double>(++hits) / static_cast<double>(rank + 1);
    return sum / static_cast<double>(truth.size());
}

}  // namespace

double recall(const Neighbors& found, MatrixView<std::int64_t> truth, std::size_t answers, std::size_t truths) {
    require_comparable("recall", found, truth, truths);
    require(answers > 0 && answers <= found.ids.columns(), "recall: expected from 1 to the ", found.ids.columns(),
            " answers that were searched for, got ", answers);
    std::vector<std::size_t> hits(truths + 1);  // by how many the query wanted: counted, so that 9 of 10 are 0.9
    for (std::size_t query = 0; query < found.ids.rows(); ++query) {
        const TruthSet wanted = truth_of("recall", truth, query, truths);
        const auto first = found.ids[query].first(answers);
        hits[wanted.size()] += static_cast<std::size_t>(
            std::count_if(first.begin(), first.end(), [&](auto id) { return wanted.contains(id); }));
    }
    double sum = 0;
    for (std::size_t size = 1; size <= truths; ++size)
        sum += static_cast<double>(hits[size]) / static_cast<double>(size * found.ids.rows());
    return sum;
}

// The ranked list is what was returned: a relevant vector beyond the k-th answer counts as never found.
double mean_average_precision(const Neighbors& found, MatrixView<std::int64_t> truth, std::size_t relevant) {
    require_comparable("mean average precision", found, truth, relevant);
    double sum = 0;
    for (std::size_t query = 0; query < found.ids.rows(); ++query)
        sum += average_precision(found.ids[query], truth_of("mean average precision", truth, query, relevant));
    return sum / static_cast<double>(found.ids.rows());
}

}  // namespace summand
