#include "vectors.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "arrays.h"
#include "summand/error.h"
#include "summand/half.h"
#include "summand/io.h"

namespace summand::python {
namespace {

float float_of_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

template <class T, float (*convert)(T)>
void convert_row(const std::byte* from, std::ptrdiff_t stride, std::size_t count, float* to) {
    for (std::size_t d = 0; d < count; ++d) {
        T value;
        std::memcpy(&value, from + stride * static_cast<std::ptrdiff_t>(d), sizeof(T));
        to[d] = convert(value);
    }
}

template <class T>
float float_of(T value) {
    return static_cast<float>(value);
}

using ConvertRow = void (*)(const std::byte*, std::ptrdiff_t, std::size_t, float*);

ConvertRow converter(Element element) {
    switch (element) {
        case Element::f16:
            return convert_row<std::uint16_t, half_to_float>;
        case Element::bf16:
            return convert_row<std::uint16_t, float_of_bfloat>;
        case Element::f32:
            return convert_row<float, float_of<float>>;
        case Element::f64:
            return convert_row<double, float_of<double>>;
        case Element::u8:
            return convert_row<std::uint8_t, float_of<std::uint8_t>>;
        case Element::i8:
            return convert_row<std::int8_t, float_of<std::int8_t>>;
        case Element::u16:
            return convert_row<std::uint16_t, float_of<std::uint16_t>>;
        case Element::i16:
            return convert_row<std::int16_t, float_of<std::int16_t>>;
        case Element::u32:
            return convert_row<std::uint32_t, float_of<std::uint32_t>>;
        case Element::i32:
            return convert_row<std::int32_t, float_of<std::int32_t>>;
        case Element::u64:
            return convert_row<std::uint64_t, float_of<std::uint64_t>>;
        case Element::i64:
            return convert_row<std::int64_t, float_of<std::int64_t>>;
    }
    throw Error("vectors: unknown element type");
}

bool is_rows_of_floats(const Piece& piece, std::size_t columns) {
    const auto width = static_cast<std::ptrdiff_t>(sizeof(float));
    const bool aligned = reinterpret_cast<std::uintptr_t>(piece.data) % alignof(float) == 0;
    return piece.element == Element::f32 && aligned && (columns <= 1 || piece.bytes_per_column == width) &&
           (piece.rows <= 1 || piece.bytes_per_row == width * static_cast<std::ptrdiff_t>(columns));
}

/// Rows [first, first + count) of all pieces one after the other.
Matrix<float> read_pieces(const std::vector<Piece>& pieces, std::size_t columns, std::size_t first, std::size_t count) {
    Matrix<float> result(count, columns);
    std::size_t begin = 0, done = 0;
    for (const Piece& piece : pieces) {
        const ConvertRow convert = converter(piece.element);
        while (done < count && first + done < begin + piece.rows) {
            const auto row = static_cast<std::ptrdiff_t>(first + done - begin);
            convert(piece.data + piece.bytes_per_row * row, piece.bytes_per_column, columns, result.row(done));
            ++done;
        }
        begin += piece.rows;
    }
    return result;
}

VectorSource source_of(std::shared_ptr<const std::vector<Piece>> pieces, std::size_t columns, std::string name) {
    std::size_t rows = 0;
    for (const Piece& piece : *pieces) rows += piece.rows;
    return VectorSource(
        rows, columns,
        [pieces = std::move(pieces), columns](std::size_t first, std::size_t count) {
            return read_pieces(*pieces, columns, first, count);
        },
        std::move(name));
}

Element element_of(nb::dlpack::dtype type) {
    using Code = nb::dlpack::dtype_code;
    const auto is = [&](Code code, int bits) {
        return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
    };
    if (is(Code::Float, 16)) return Element::f16;
    if (is(Code::Bfloat, 16)) return Element::bf16;
    if (is(Code::Float, 32)) return Element::f32;
    if (is(Code::Float, 64)) return Element::f64;
    if (is(Code::UInt, 8)) return Element::u8;
    if (is(Code::UInt, 16)) return Element::u16;
    if (is(Code::UInt, 32)) return Element::u32;
    if (is(Code::UInt, 64)) return Element::u64;
    if (is(Code::Int, 8)) return Element::i8;
    if (is(Code::Int, 16)) return Element::i16;
    if (is(Code::Int, 32)) return Element::i32;
    if (is(Code::Int, 64)) return Element::i64;
    throw Error("vectors: expected numbers (floats of 16, 32 or 64 bits, bfloat16, or integers), got another type");
}

/// A function read(first, count) that returns Vectors; it is called with the GIL, from the thread that works.
VectorSource source_of_function(std::size_t rows, std::size_t columns, nb::object read, std::string name) {
    const std::shared_ptr<const nb::object> function(new nb::object(std::move(read)), [](const nb::object* object) {
        const nb::gil_scoped_acquire acquired;
        delete object;
    });
    const auto call_function = [function, columns, name](std::size_t first, std::size_t count) {
        const nb::gil_scoped_acquire acquired;
        const nb::object given = (*function)(first, count);
        const Vectors& part = nb::cast<const Vectors&>(given);
        require(part.rows() == count && part.columns() == columns, name, ": expected ", count, " rows of ", columns,
                " values from row ", first, " on, got ", part.rows(), " of ", part.columns());
        return part.source().read(0, count);
    };
    return VectorSource(rows, columns, call_function, std::move(name));
}

}  // namespace

std::size_t element_bytes(Element element) {
    switch (element) {
        case Element::u8:
        case Element::i8:
            return 1;
        case Element::f16:
        case Element::bf16:
        case Element::u16:
        case Element::i16:
            return 2;
        case Element::f32:
        case Element::u32:
        case Element::i32:
            return 4;
        default:
            return 8;
    }
}

Vectors::Vectors(std::vector<Piece> pieces, std::size_t columns, std::string name)
    : pieces_(std::make_shared<const std::vector<Piece>>(std::move(pieces))),
      source_(source_of(pieces_, columns, std::move(name))) {}

Floats Vectors::floats(const Execution& execution) const {
    if (pieces_ && pieces_->size() == 1 && is_rows_of_floats(pieces_->front(), columns()))
        return Floats(MatrixView<float>(reinterpret_cast<const float*>(pieces_->front().data), rows(), columns()));
    return Floats(pieces_ ? source_.read(0, rows()) : read_all(source_, execution));
}

Vectors vectors_of_array(const nb::ndarray<nb::ro, nb::device::cpu>& array, bool bfloat16_bits) {
    const bool single = array.ndim() == 1;
    require(single || array.ndim() == 2, "vectors: expected an array of 2 dimensions, rows of vectors, or 1, got ",
            array.ndim());
    const std::size_t columns = array.shape(single ? 0 : 1);
    Piece piece{.data = static_cast<const std::byte*>(static_cast<const void*>(array.data())),
                .element = bfloat16_bits ? Element::bf16 : element_of(array.dtype()),
                .rows = single ? 1 : array.shape(0),
                .owner = keep(array)};
    const auto bytes = static_cast<std::ptrdiff_t>(element_bytes(piece.element));
    piece.bytes_per_row = single ? 0 : bytes * array.stride(0);
    piece.bytes_per_column = bytes * array.stride(single ? 0 : 1);
    Vectors vectors({std::move(piece)}, columns);
    vectors.single = single;
    return vectors;
}

void bind_vectors(nb::module_& m) {
    nb::class_<Vectors>(m, "Vectors", "Vectors in memory, in a file, or read by a function.")
        .def_prop_ro("rows", &Vectors::rows)
        .def_prop_ro("columns", &Vectors::columns)
        .def_prop_ro("name", &Vectors::name)
        .def_ro("single", &Vectors::single)
        .def_static(
            "file", [](const std::string& path) { return Vectors(path); }, nb::arg("path"))
        .def_static("array", &vectors_of_array, nb::arg("array"), nb::arg("bfloat16_bits") = false,
                    nb::sig("def array(array: object, bfloat16_bits: bool = False) -> Vectors"))
        .def_static("arrow_array", &vectors_of_arrow_array, nb::arg("schema"), nb::arg("array"))
        .def_static("arrow_stream", &vectors_of_arrow_stream, nb::arg("stream"))
        .def_static(
            "function",
            [](std::size_t rows, std::size_t columns, nb::typed<nb::callable, Vectors(std::size_t, std::size_t)> read,
               std::string name) {
                return Vectors(source_of_function(rows, columns, std::move(read), std::move(name)));
            },
            nb::arg("rows"), nb::arg("columns"), nb::arg("read"), nb::arg("name"))
        .def(
            "numpy",
            [](const Vectors& self, unsigned threads) {
                return array_of(call({.threads = threads},
                                     [&](const Execution& execution) { return read_all(self.source(), execution); }));
            },
            nb::arg("threads") = 0, "All rows as an array of its own.");
}

}  // namespace summand::python
