#include "model/sparse_rows.h"

#include <algorithm>

namespace summand {

void SparseRows::add(std::span<const float> row) {
    for (std::size_t d = 0; d < row.size(); ++d)
        if (row[d] != 0) {
            dimensions.push_back(static_cast<std::uint32_t>(d));
            values.push_back(row[d]);
        }
    begin.push_back(static_cast<std::uint32_t>(values.size()));
}

bool is_sparse(const Dictionaries& dictionaries) {
    if (dictionaries.blocks()) return false;
    const auto zeros = std::count(dictionaries.rows.data(), dictionaries.rows.data() + dictionaries.rows.size(), 0.0f);
    return 2 * static_cast<std::size_t>(zeros) > dictionaries.rows.size();
}

}  // namespace summand
