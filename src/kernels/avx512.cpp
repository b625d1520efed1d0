// The avx512 level.
#include <immintrin.h>
#include "kernels/kernels.h"

namespace summand {
namespace {

#include "kernels/common.inl"
#include "kernels/icm.inl"
#include "kernels/scan_common.inl"

#include "kernels/scan_avx512.inl"

#include "kernels/rows.inl"

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = {
    .name = "avx512",
    .inner_products = inner_products,
    .argmin_sum = argmin_sum,
    .dot = dot,
    .squared_distance = squared_distance,
    .sum_rows = sum_rows,
    .combine = combine,
    .scatter_add = scatter_add,
    .icm_bounds = icm_bounds,
    .icm_visits = icm_visits,
    .rows = row_kernels,
    .scan = scan_kernels,
};

}  // namespace summand
