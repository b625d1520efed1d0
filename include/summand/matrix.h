// Rows of numbers; one row is one vector.
//
//     | row 0: columns values | row 1 | … | row rows-1 |       contiguous, row by row
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "summand/error.h"

namespace summand {

/// rows·columns; throws `Error` where so many values of that size cannot lie in memory.
inline std::size_t matrix_size(std::size_t rows, std::size_t columns, std::size_t value_bytes) {
    std::size_t values, bytes;
    const bool wraps =
        __builtin_mul_overflow(rows, columns, &values) || __builtin_mul_overflow(values, value_bytes, &bytes);
    require(!wraps && bytes <= PTRDIFF_MAX, "matrix: expected sizes that fit memory, got ", rows, " rows of ", columns,
            " columns");
    return values;
}

/// Borrowed rows; the owner must outlive the view.
template <class T>
class MatrixView {
public:
    MatrixView() = default;
    MatrixView(const T* data, std::size_t rows, std::size_t columns) : data_(data), rows_(rows), columns_(columns) {}

    const T* data() const { return data_; }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    bool empty() const { return rows_ == 0; }

    const T* row(std::size_t i) const { return data_ + i * columns_; }
    std::span<const T> operator[](std::size_t i) const { return {row(i), columns_}; }

    MatrixView slice(std::size_t first, std::size_t count) const { return {row(first), count, columns_}; }

private:
    const T* data_ = nullptr;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
};

/// Owned rows.
template <class T>
class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns, T value = T())
        : values_(matrix_size(rows, columns, sizeof(T)), value), rows_(rows), columns_(columns) {}
    Matrix(std::size_t rows, std::size_t columns, std::vector<T> values)
        : values_(std::move(values)), rows_(rows), columns_(columns) {}

    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::size_t size() const { return values_.size(); }
    bool empty() const { return values_.empty(); }

    T* row(std::size_t i) { return values_.data() + i * columns_; }
    const T* row(std::size_t i) const { return values_.data() + i * columns_; }
    std::span<T> operator[](std::size_t i) { return {row(i), columns_}; }
    std::span<const T> operator[](std::size_t i) const { return {row(i), columns_}; }

    const std::vector<T>& values() const { return values_; }
    MatrixView<T> view() const { return {values_.data(), rows_, columns_}; }

    friend bool operator==(const Matrix&, const Matrix&) = default;

private:
    std::vector<T> values_;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
};

}  // namespace summand
