// What the tests of folders share: small models, and an index of the same vectors as the oracle.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "summand/living_index.h"
#include "support/data.h"

namespace summand::test {

inline constexpr std::size_t kColumns = 12;

inline IndexModel small_model(const std::string& spec, Metric metric = Metric::euclidean) {
    const Matrix<float> learn = clustered(600, kColumns, 7);
    return model_of(build(learn, spec, {.metric = metric}));
}

inline std::vector<std::int64_t> ids_between(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(last - first));
    std::iota(ids.begin(), ids.end(), first);
    return ids;
}

inline Matrix<float> rows_of(const Matrix<float>& vectors, const std::vector<std::int64_t>& rows) {
    Matrix<float> result(rows.size(), vectors.columns());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(vectors.row(static_cast<std::size_t>(rows[i])), vectors.columns(), result.row(i));
    return result;
}

}  // namespace summand::test
