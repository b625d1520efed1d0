// What "near" means. Scores are smaller-is-better for every metric:
//
//     euclidean      |q - x|^2            (squared)
//     inner_product  -q.x
//     cosine         |q - x|^2 of vectors scaled to length one, which is 2 - 2 cos
#pragma once

#include <string_view>

namespace summand {

enum class Metric { euclidean, inner_product, cosine };

/// Whether scores are squared distances.
inline bool is_distance(Metric metric) { return metric != Metric::inner_product; }

std::string_view name(Metric metric);

/// Throws `Error` that lists the known names.
Metric parse_metric(std::string_view text);

}  // namespace summand
