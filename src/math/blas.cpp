#include "math/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/aligned.h"
#include "base/parallel.h"
#include "summand/device.h"
#include "summand/error.h"

// Declared again as weak symbols: another BLAS does not have them.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));  // NOLINT(readability-redundant-declaration)
extern "C" char* openblas_get_config() __attribute__((weak));         // NOLINT(readability-redundant-declaration)
extern "C" char* openblas_get_corename() __attribute__((weak));       // NOLINT(readability-redundant-declaration)

namespace summand {
namespace {

// OpenBLAS maps a buffer of 128 MiB for each thread that multiplies, and tries for ever if no address space is left.
// Each thread therefore checks first that it can map two: its own, and one for another thread that is about to map one.
void require_buffer() {
    constexpr std::size_t kBufferBytes = std::size_t{128} << 20;
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    void* room = ::mmap(nullptr, 2 * kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    ::munmap(room, 2 * kBufferBytes);
}

void prepare_blas() {
    static const bool once = [] {
        if (openblas_set_num_threads) openblas_set_num_threads(1);
        return true;
    }();
    thread_local const bool has_buffer = [] {
        require_buffer();
        return true;
    }();
    (void)once, (void)has_buffer;
}

int size_of(std::size_t n) { return static_cast<int>(n); }

void check(int status, const char* routine) {
    require(status == 0, "linear algebra: ", routine, " did not converge (status ", status,
            "); the data may hold extreme values");
}

}  // namespace

Matrix<double> cross_products(MatrixView<float> a, MatrixView<float> b, const Execution& execution) {
    prepare_blas();
    constexpr std::size_t kParts = 16;
    constexpr std::size_t kRows = 4096;
    const std::size_t size = a.columns() * b.columns();
    std::vector<std::vector<double>> parts(kParts);
    parallel_for(execution, kParts, [&](std::size_t p) {
        const std::size_t end = a.rows() * (p + 1) / kParts;
        std::vector<float> block(size);
        parts[p].assign(size, 0.0);
        for (std::size_t first = a.rows() * p / kParts; first < end; first += kRows) {
            const std::size_t rows = std::min(kRows, end - first);
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, size_of(a.columns()), size_of(b.columns()),
                        size_of(rows), 1, a.row(first), size_of(a.columns()), b.row(first), size_of(b.columns()), 0,
                        block.data(), size_of(b.columns()));
            for (std::size_t i = 0; i < size; ++i) parts[p][i] += static_cast<double>(block[i]);
        }
    });
    Matrix<double> total(a.columns(), b.columns());
    for (const std::vector<double>& part : parts)
        for (std::size_t i = 0; i < size; ++i) total.data()[i] += part[i];
    return total;
}

Eigen symmetric_eigen(Matrix<double> matrix) {
    prepare_blas();
    const std::size_t n = matrix.rows();
    std::vector<double> ascending(n);
    check(LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', size_of(n), matrix.data(), size_of(n), ascending.data()),
          "dsyevd");
    Eigen eigen{std::vector<double>(n), Matrix<double>(n, n)};
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t column = n - 1 - i;
        eigen.values[i] = ascending[column];
        for (std::size_t d = 0; d < n; ++d) eigen.vectors[i][d] = matrix[d][column];
    }
    return eigen;
}

Matrix<float> nearest_orthogonal(Matrix<double> matrix) {
    prepare_blas();
    const std::size_t n = matrix.rows();
    Matrix<double> u(n, n), vt(n, n), product(n, n);
    std::vector<double> singular(n);
    const int size = size_of(n);
    check(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'A', size, size, matrix.data(), size, singular.data(), u.data(), size,
                         vt.data(), size),
          "dgesdd");
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, u.data(), size, vt.data(), size, 0,
                product.data(), size);
    return Matrix<float>(n, n, std::vector<float>(product.values().begin(), product.values().end()));
}

Matrix<double> solve_positive_definite(Matrix<double> matrix, Matrix<double> right) {
    prepare_blas();
    check(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', size_of(matrix.rows()), size_of(right.columns()), matrix.data(),
                        size_of(matrix.columns()), right.data(), size_of(right.columns())),
          "dposv");
    return right;
}

Cholesky::Cholesky(Matrix<float> matrix) : factor_(std::move(matrix)) {
    prepare_blas();
    const int size = size_of(factor_.rows());
    check(LAPACKE_spotrf(LAPACK_COL_MAJOR, 'L', size, factor_.data(), size), "spotrf");
}

// Rows of `right` are columns for a routine that reads by columns: rightᵀ·L⁻ᵀ·L⁻¹.
void Cholesky::solve(float* right, std::size_t columns) const {
    const int size = size_of(factor_.rows()), width = size_of(columns);
    for (const CBLAS_TRANSPOSE side : {CblasTrans, CblasNoTrans})
        cblas_strsm(CblasColMajor, CblasRight, CblasLower, side, CblasNonUnit, width, size, 1, factor_.data(), size,
                    right, width);
}

std::string blas_library() {
    if (!openblas_get_config) return "unknown";
    const std::string_view config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_AFFINITY … SkylakeX MAX_THREADS=64"
    const std::size_t version = config.find(' ');
    std::string name(config.substr(0, version == config.npos ? version : config.find(' ', version + 1)));
    if (openblas_get_corename) name += concatenate(" (", openblas_get_corename(), ")");
    return name;
}

}  // namespace summand
