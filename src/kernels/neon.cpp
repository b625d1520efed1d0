// The neon level.
#include <arm_neon.h>
#include "kernels/kernels.h"

namespace summand {
namespace {

#include "kernels/common.inl"
#include "kernels/icm.inl"
#include "kernels/scan_common.inl"

#include "kernels/scan_neon.inl"

#include "kernels/rows.inl"

}  // namespace

extern const Kernels neon_kernels;
const Kernels neon_kernels = {
    .name = "neon",
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
