#include "summand/retrieval.h"

#include <algorithm>

#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

void require_answers(const char* measure, const Neighbors& found, const Relevance& relevance) {
    require(found.ids.rows() > 0 && found.ids.rows() == relevance.queries.size(), measure,
            ": expected answers for each of the ", relevance.queries.size(), " queries, got those of ",
            found.ids.rows());
}

// Precision before and after each hit bounds a trapezoid as wide as the recall that the hit adds. With h hits before,
// at rank r of those that count: h/r (1 for r = 0) and (h+1)/(r+1).
double area_under_precision(std::span<const std::int64_t> answers, std::int64_t query,
                            std::span<const std::int64_t> relevant) {
    const auto all = std::count_if(relevant.begin(), relevant.end(), [](auto id) { return id >= 0; });
    double sum = 0, hits = 0, rank = 0;
    for (const std::int64_t id : answers) {
        if (id == query || id < 0) continue;
        if (std::find(relevant.begin(), relevant.end(), id) != relevant.end()) {
            sum += ((rank > 0 ? hits / rank : 1) + (hits + 1) / (rank + 1)) / 2;
            ++hits;
        }
        ++rank;
    }
    return sum / static_cast<double>(all);
}

}  // namespace

double holidays_map(const Neighbors& found, const Relevance& relevance) {
    require_answers("holidays", found, relevance);
    double sum = 0;
    for (std::size_t i = 0; i < relevance.queries.size(); ++i)
        sum += area_under_precision(found.ids[i], relevance.queries[i], relevance.relevant[i]);
    return sum / static_cast<double>(relevance.queries.size());
}

double ukbench_score(const Neighbors& found, const Relevance& relevance) {
    constexpr std::size_t kImages = 4;
    require_answers("ukbench", found, relevance);
    Matrix<std::int64_t> objects(relevance.queries.size(), relevance.relevant.columns() + 1);
    for (std::size_t i = 0; i < objects.rows(); ++i) {
        objects[i][0] = relevance.queries[i];
        std::copy(relevance.relevant[i].begin(), relevance.relevant[i].end(), objects.row(i) + 1);
    }
    return kImages * recall(found, objects.view(), kImages, objects.columns());
}

}  // namespace summand
