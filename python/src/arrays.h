// Arrays of the library as NumPy arrays, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "summand/matrix.h"

namespace summand::python {

namespace nb = nanobind;

template <class T, std::size_t Dimensions>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>, nb::c_contig>;

/// An array as Python gives it.
template <class T, std::size_t Dimensions>
using Given = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

template <class T, std::size_t Dimensions>
std::vector<T> values_of(const Given<T, Dimensions>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class T>
Matrix<T> matrix_of(const Given<T, 2>& array) {
    return Matrix<T>(array.shape(0), array.shape(1), values_of<T, 2>(array));
}

/// A pointer that keeps `owner` alive and may be dropped without the GIL.
template <class Owner>
std::shared_ptr<const void> keep(Owner owner) {
    return std::shared_ptr<const void>(new Owner(std::move(owner)), [](const void* kept) {
        const nb::gil_scoped_acquire acquired;
        delete static_cast<const Owner*>(kept);
    });
}

template <class T>
Array<T, 2> array_of(Matrix<T> matrix) {
    auto* owned = new Matrix<T>(std::move(matrix));
    const nb::capsule owner(owned, [](void* kept) noexcept { delete static_cast<Matrix<T>*>(kept); });
    return Array<T, 2>(owned->data(), {owned->rows(), owned->columns()}, owner);
}

template <class T>
Array<T, 1> array_of(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned, [](void* kept) noexcept { delete static_cast<std::vector<T>*>(kept); });
    return Array<T, 1>(owned->data(), {owned->size()}, owner);
}

/// Rows that `owner` holds, to be read only.
template <class T, std::size_t Dimensions>
auto view_of(const T* data, const std::size_t (&shape)[Dimensions], nb::handle owner) {
    return nb::ndarray<nb::numpy, const T, nb::ndim<Dimensions>, nb::c_contig>(data, Dimensions, shape, owner);
}

}  // namespace summand::python
