#include "protocols.h"

#include <algorithm>

namespace summand::cli {

std::string_view name(Protocol protocol) { return protocol == Protocol::holidays ? "holidays" : "ukbench"; }

Matrix<float> listed_queries(const Matrix<float>& images, const Relevance& relevance) {
    Matrix<float> queries(relevance.queries.size(), images.columns());
    for (std::size_t i = 0; i < queries.rows(); ++i)
        std::copy_n(images.row(static_cast<std::size_t>(relevance.queries[i])), images.columns(), queries.row(i));
    return queries;
}

std::size_t needed_answers(Protocol protocol, std::size_t images) {
    constexpr std::size_t kFirst = 4;
    return protocol == Protocol::holidays ? images : std::min(kFirst, images);
}

double judged(Protocol protocol, const Neighbors& found, const Relevance& relevance) {
    return protocol == Protocol::holidays ? holidays_map(found, relevance) : ukbench_score(found, relevance);
}

}  // namespace summand::cli
