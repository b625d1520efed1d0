#include "math/products.h"

#include <algorithm>
#include <cstring>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr std::size_t kPanel = 64;  // rows of b whose values stay in the cache while rows of a are multiplied with them
constexpr std::size_t kLanes = 16;  // a panel has a multiple of them

using Four = float __attribute__((vector_size(16)));

Four load_four(const float* from) {
    Four four;
    std::memcpy(&four, from, sizeof four);
    return four;
}

// Four values of four rows, multiplied and transposed.
void transpose_four(const float* const* rows, std::size_t d, float scale, float* out, std::size_t stride) {
    const Four a = load_four(rows[0] + d) * scale, b = load_four(rows[1] + d) * scale,
               c = load_four(rows[2] + d) * scale, e = load_four(rows[3] + d) * scale;
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four ce = __builtin_shufflevector(c, e, 0, 4, 1, 5), ce2 = __builtin_shufflevector(c, e, 2, 6, 3, 7);
    const Four columns[] = {__builtin_shufflevector(ab, ce, 0, 1, 4, 5), __builtin_shufflevector(ab, ce, 2, 3, 6, 7),
                            __builtin_shufflevector(ab2, ce2, 0, 1, 4, 5),
                            __builtin_shufflevector(ab2, ce2, 2, 3, 6, 7)};
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(out + i * stride, &columns[i], sizeof columns[i]);
}

//     | value 0 of all rows, zeros up to `slots` | value 1 of all rows, zeros | …
void fill_panel(float scale, const float* b, std::size_t rows, std::size_t dimensions, std::size_t slots, float* out) {
    const std::size_t whole = rows / 4 * 4, even = dimensions / 4 * 4;
    for (std::size_t r = 0; r < whole; r += 4) {
        const float* const four[] = {b + r * dimensions, b + (r + 1) * dimensions, b + (r + 2) * dimensions,
                                     b + (r + 3) * dimensions};
        for (std::size_t d = 0; d < even; d += 4) transpose_four(four, d, scale, out + d * slots + r, slots);
        for (std::size_t d = even; d < dimensions; ++d)
            for (std::size_t i = 0; i < 4; ++i) out[d * slots + r + i] = four[i][d] * scale;
    }
    for (std::size_t d = 0; d < dimensions; ++d) {
        for (std::size_t r = whole; r < rows; ++r) out[d * slots + r] = b[r * dimensions + d] * scale;
        std::fill(out + d * slots + rows, out + (d + 1) * slots, 0.0f);
    }
}

}  // namespace

void row_block_products(float scale, const float* a, std::size_t rows, const float* b, std::size_t columns,
                        std::size_t dimensions, float* c) {
    thread_local Scratch<float> panel_room, edge_room;
    float* panel = panel_room.at_least(kPanel * dimensions);
    for (std::size_t first = 0; first < columns; first += kPanel) {
        const std::size_t wanted = std::min(kPanel, columns - first), slots = (wanted + kLanes - 1) / kLanes * kLanes;
        fill_panel(scale, b + first * dimensions, wanted, dimensions, slots, panel);
        const bool fits = slots == wanted;
        float* out = fits ? c + first : edge_room.at_least(rows * slots);
        const std::size_t stride = fits ? columns : slots;
        kernels().scan.products({.queries = a,
                                 .query_count = rows,
                                 .query_stride = dimensions,
                                 .columns = panel,
                                 .dimensions = dimensions,
                                 .words = slots,
                                 .stride = slots,
                                 .out = out,
                                 .out_stride = stride});
        for (std::size_t i = 0; !fits && i < rows; ++i) std::copy_n(out + i * slots, wanted, c + i * columns + first);
    }
}

Matrix<float> multiply_transposed(MatrixView<float> a, MatrixView<float> b, const Execution& execution) {
    Matrix<float> product(a.rows(), b.rows());
    parallel_ranges(execution, a.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        row_block_products(1, a.row(first), last - first, b.data(), b.rows(), a.columns(), product.row(first));
    });
    return product;
}

Matrix<float> transposed(MatrixView<float> matrix) {
    Matrix<float> result(matrix.columns(), matrix.rows());
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < matrix.columns(); ++j) result[j][i] = matrix[i][j];
    return result;
}

}  // namespace summand
