#include <cmath>

#include "base/byte_order.h"
#include "io/atomic_file.h"
#include "io/convert.h"
#include "io/formats.h"
#include "io/npy.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;  // converted and written at once

std::vector<std::byte> bin_header(const Shape& shape) {
    std::vector<std::byte> header(8);
    store_little(&header[0], static_cast<std::uint32_t>(shape.rows));
    store_little(&header[4], static_cast<std::uint32_t>(shape.columns));
    return header;
}

/// Version 1, padded with blanks to a multiple of 64 bytes as NumPy does.
std::vector<std::byte> npy_header(const Shape& shape) {
    std::string_view type;
    for (const NpyType& known : kNpyTypes)
        if (known.type == shape.type) type = known.name;
    std::string text = concatenate("{'descr': ", type, ", 'fortran_order': False, 'shape': (", shape.rows, ", ",
                                   shape.columns, "), }");
    constexpr std::size_t kBefore = 10;
    text.resize((kBefore + text.size() + 1 + 63) / 64 * 64 - kBefore, ' ');
    text.back() = '\n';

    std::vector<std::byte> header(kBefore + text.size());
    std::memcpy(&header[0], kNpyMagic.data(), kNpyMagic.size());
    store_little(&header[6], std::uint16_t{1});
    store_little(&header[8], static_cast<std::uint16_t>(text.size()));
    std::memcpy(&header[kBefore], text.data(), text.size());
    return header;
}

std::vector<std::byte> file_header(Layout layout, const Shape& shape) {
    switch (layout) {
        case Layout::bin:
            return bin_header(shape);
        case Layout::npy:
            return npy_header(shape);
        default:
            return {};
    }
}

void check_sizes(const std::string& path, Layout layout, const Shape& shape) {
    require(shape.rows > 0 && shape.columns > 0, path, ": cannot write ", shape.rows, " vectors of ", shape.columns,
            " dimensions, expected at least one of each");
    const std::uint64_t most_columns = layout == Layout::vecs ? INT32_MAX : UINT32_MAX;
    require(layout == Layout::npy || shape.columns <= most_columns, path, ": this format holds at most ", most_columns,
            " dimensions, got ", shape.columns);
    require(layout != Layout::bin || shape.rows <= UINT32_MAX, path, ": this format holds at most ", UINT32_MAX,
            " vectors, got ", shape.rows);
}

void check_row(const std::string& path, Stored type, std::span<const float> row, std::size_t i) {
    const bool whole = type != Stored::float32;
    const Range range = range_of(type);
    for (const float value : row) {
        require(std::isfinite(value), path, ": cannot write row ", i, ": it holds ", value,
                ", expected finite numbers");
        const double rounded = std::nearbyint(static_cast<double>(value));
        const bool fits =
            rounded >= static_cast<double>(range.smallest) && rounded <= static_cast<double>(range.largest);
        require(!whole || fits, path, ": cannot write row ", i, ": ", value, " is outside ", range.smallest, "..",
                range.largest, " of ", name(type));
    }
}

void check_row(const std::string& path, Stored type, std::span<const std::int64_t> row, std::size_t i) {
    const Range range = range_of(type);
    for (const std::int64_t id : row)
        require(id >= kNoId && id <= range.largest, path, ": cannot write row ", i, ": id ", id, " is outside -1..",
                range.largest, ", which this format holds");
}

void convert(Stored type, const float* values, std::size_t count, std::byte* out) {
    from_floats(type, values, count, out);
}

void convert(Stored type, const std::int64_t* ids, std::size_t count, std::byte* out) {
    from_ids(type, ids, count, out);
}

template <class T>
void write_rows(const std::string& path, const Format& format, MatrixView<T> values) {
    const Shape shape{values.rows(), values.columns(), format.type};
    check_sizes(path, format.layout, shape);
    AtomicFile file(path);
    file.append(file_header(format.layout, shape));

    const std::size_t row_header = format.layout == Layout::vecs ? sizeof(std::int32_t) : 0;
    const std::size_t stride = row_header + shape.row_bytes();
    std::vector<std::byte> piece;
    for (std::size_t i = 0; i < values.rows(); ++i) {
        check_row(path, format.type, values[i], i);
        piece.resize(piece.size() + stride);
        std::byte* row = piece.data() + piece.size() - stride;
        if (row_header > 0) store_little(row, static_cast<std::int32_t>(shape.columns));
        convert(format.type, values.row(i), shape.columns, row + row_header);
        if (piece.size() < kPieceBytes && i + 1 < values.rows()) continue;
        file.append(piece);
        piece.clear();
    }
    file.commit();
}

}  // namespace

void write_vectors(const std::string& path, MatrixView<float> vectors) {
    const auto format = format_of(path);
    require(format.has_value(), path, ": cannot write vectors as '", extension(path),
            "', expected .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin or .npy");
    write_rows(path, *format, vectors);
}

void write_ids(const std::string& path, MatrixView<std::int64_t> ids) {
    auto format = format_of(path);
    if (format && format->layout == Layout::npy) format->type = Stored::int64;
    require(format && (format->type == Stored::int32 || format->type == Stored::int64), path, ": cannot write ids as '",
            extension(path), "', expected .ivecs .ibin or .npy");
    write_rows(path, *format, ids);
}

}  // namespace summand
