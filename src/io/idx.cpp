// MNIST's idx, raw or through gzip, big-endian:
//
//     | 0 | 0 | type | dimensions | uint32 items | uint32 rows | uint32 columns | item 0 | item 1 | …
//
// An item of rows × columns pixels is one vector.
#include <array>

#include "base/byte_count.h"
#include "base/byte_order.h"
#include "io/gunzip.h"
#include "io/source.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kStart = 4;
constexpr std::size_t kMostDimensions = 4;

struct IdxStart {
    Stored type;
    std::size_t dimensions;
};

IdxStart parse_start(std::span<const std::byte, kStart> bytes, const std::string& path) {
    require(bytes[0] == std::byte{0} && bytes[1] == std::byte{0}, path,
            ": does not begin as an MNIST idx file does (two zero bytes)");
    const int type = std::to_integer<int>(bytes[2]);
    require(type == 8 || type == 9, path, ": idx element type ", type, ", expected 8 (uint8) or 9 (int8)");
    const std::size_t dimensions = std::to_integer<std::size_t>(bytes[3]);
    require(dimensions >= 2 && dimensions <= kMostDimensions, path, ": idx file of ", dimensions,
            " dimensions, expected 2 to 4 (images, not labels)");
    return {type == 8 ? Stored::uint8 : Stored::int8, dimensions};
}

Shape parse_sizes(const IdxStart& start, const std::byte* sizes, const std::string& path) {
    std::array<std::uint64_t, kMostDimensions> values{};
    for (std::size_t i = 0; i < start.dimensions; ++i) values[i] = load_big32(sizes + 4 * i);
    const auto columns = product(std::span(values).subspan(1, start.dimensions - 1));
    require(columns.has_value(), path, ": the idx header's sizes multiply to more than any file can hold");
    return {values[0], *columns, start.type};
}

SourcePointer open_raw(std::unique_ptr<InputFile> file) {
    const std::string path = file->path();
    require(file->size() > 0, path, ": the file is empty");
    std::array<std::byte, kStart + 4 * kMostDimensions> header;
    require(file->size() >= kStart, path, ": truncated: an idx header takes more than ", file->size(), " bytes");
    file->read_at(0, std::span(header).first<kStart>());
    const IdxStart start = parse_start(std::span(header).first<kStart>(), path);
    const std::size_t length = kStart + 4 * start.dimensions;
    require(file->size() >= length, path, ": truncated: the idx header takes ", length, " bytes, the file has ",
            file->size());
    file->read_at(0, std::span(header).first(length));
    return open_rows(std::move(file), path, length, parse_sizes(start, &header[kStart], path));
}

/// The content after the header, which must be exactly as long as the header promises, and what the file can hold.
std::vector<std::byte> inflate_rows(Gunzip& content, const InputFile& file, const Shape& shape) {
    const std::string& path = file.path();
    check_shape(path, shape);
    const std::uint64_t promised = shape.rows * shape.columns;
    const auto most = product({file.size(), Gunzip::kLargestRatio});
    require(most && promised <= *most, path, ": the header says ", shape.rows, " vectors of ", shape.columns,
            " dimensions, more than ", file.size(), " compressed bytes can hold");
    std::vector<std::byte> bytes(promised);
    const std::size_t inflated = content.read(bytes);
    require(inflated == promised, path, ": truncated: the header says ", promised, " bytes, the compressed data has ",
            inflated);
    std::byte extra;
    require(content.read({&extra, 1}) == 0, path, ": trailing bytes: the compressed data goes on after the ", promised,
            " bytes of the header");
    content.check_end();
    return bytes;
}

SourcePointer open_compressed(std::unique_ptr<InputFile> file) {
    const std::string& path = file->path();
    Gunzip content(*file);
    std::array<std::byte, kStart + 4 * kMostDimensions> header;
    require(content.read(std::span(header).first<kStart>()) == kStart, path, ": truncated: no idx header inside");
    const IdxStart start = parse_start(std::span(header).first<kStart>(), path);
    const std::size_t sizes = 4 * start.dimensions;
    require(content.read({&header[kStart], sizes}) == sizes, path, ": truncated: the idx header takes ", kStart + sizes,
            " bytes");
    const Shape shape = parse_sizes(start, &header[kStart], path);
    return open_rows(std::make_unique<MemoryBytes>(inflate_rows(content, *file, shape)), path, 0, shape);
}

}  // namespace

SourcePointer open_idx(std::unique_ptr<InputFile> file) {
    return Gunzip::begins(*file) ? open_compressed(std::move(file)) : open_raw(std::move(file));
}

}  // namespace summand
