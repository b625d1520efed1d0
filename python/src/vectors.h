// Vectors as Python gives them: arrays of any number type and any strides, Arrow columns, files, or a Python function
// that reads rows. Rows of 32-bit floats that lie one after the other are used where they are; all others are
// converted as they are read.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calls.h"
#include "summand/matrix.h"
#include "summand/vector_source.h"

namespace summand::python {

enum class Element { f16, bf16, f32, f64, u8, i8, u16, i16, u32, i32, u64, i64 };

std::size_t element_bytes(Element element);

/// Rows of one array: value (i, d) is `bytes_per_row·i + bytes_per_column·d` bytes after the first.
struct Piece {
    const std::byte* data = nullptr;
    Element element = Element::f32;
    std::ptrdiff_t bytes_per_row = 0, bytes_per_column = 0;
    std::size_t rows = 0;
    std::shared_ptr<const void> owner = {};
};

/// Rows in memory, borrowed where that is possible.
class Floats {
public:
    explicit Floats(MatrixView<float> borrowed) : view_(borrowed) {}
    explicit Floats(Matrix<float> owned) : owned_(std::move(owned)), view_(owned_.view()) {}
    Floats(Floats&& other) noexcept : owned_(std::move(other.owned_)), view_(other.view_) {}
    Floats& operator=(Floats&&) = delete;

    MatrixView<float> view() const { return view_; }

private:
    Matrix<float> owned_ = {};
    MatrixView<float> view_;  // a vector that is moved keeps its place
};

class Vectors {
public:
    /// Pieces one after the other.
    Vectors(std::vector<Piece> pieces, std::size_t columns, std::string name = "vectors");
    explicit Vectors(const std::string& path) : source_(VectorSource::file(path)) {}
    explicit Vectors(VectorSource source) : source_(std::move(source)) {}

    std::size_t rows() const { return source_.rows; }
    std::size_t columns() const { return source_.columns; }
    const VectorSource& source() const { return source_; }
    const std::string& name() const { return source_.name; }

    /// All rows.
    Floats floats(const Execution& execution = {}) const;

    /// A single vector was given instead of rows.
    bool single = false;

private:
    std::shared_ptr<const std::vector<Piece>> pieces_ = {};  // null where they are read otherwise
    VectorSource source_;
};

/// An array of one or two dimensions, or of bits of bfloat16 in 16-bit integers.
Vectors vectors_of_array(const nb::ndarray<nb::ro, nb::device::cpu>& array, bool bfloat16_bits = false);

/// Arrow arrays and streams through the PyCapsule protocol: lists of numbers, all of one length.
Vectors vectors_of_arrow_array(nb::handle schema_capsule, nb::handle array_capsule);
Vectors vectors_of_arrow_stream(nb::handle stream_capsule);

void bind_vectors(nb::module_& m);

}  // namespace summand::python
