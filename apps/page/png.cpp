#include "png.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base64.h"

namespace summand::cli {
namespace {

using ByteString = std::vector<std::uint8_t>;

void append_big_endian(ByteString& out, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

// length | type | data | CRC of type and data
void append_chunk(ByteString& out, const char* type, const ByteString& data) {
    append_big_endian(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t begin = out.size();
    out.insert(out.end(), type, type + 4);
    out.insert(out.end(), data.begin(), data.end());
    append_big_endian(out, static_cast<std::uint32_t>(crc32(0, &out[begin], static_cast<uInt>(out.size() - begin))));
}

ByteString header(std::size_t width, std::size_t height) {
    ByteString data;
    append_big_endian(data, static_cast<std::uint32_t>(width));
    append_big_endian(data, static_cast<std::uint32_t>(height));
    data.insert(data.end(), {8, 0, 0, 0, 0});  // 8 bits, grey, no filter or interlacing choices
    return data;
}

// Each row is preceded by the number of its filter: 0, none.
ByteString pixels(std::span<const float> values, std::size_t width) {
    ByteString raw;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % width == 0) raw.push_back(0);
        raw.push_back(static_cast<std::uint8_t>(std::clamp(values[i], 0.0f, 255.0f)));
    }
    uLongf size = compressBound(raw.size());
    ByteString packed(size);
    compress2(packed.data(), &size, raw.data(), raw.size(), Z_BEST_COMPRESSION);
    packed.resize(size);
    return packed;
}

}  // namespace

std::string png_data_uri(std::span<const float> values, std::size_t width) {
    ByteString png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    append_chunk(png, "IHDR", header(width, values.size() / width));
    append_chunk(png, "IDAT", pixels(values, width));
    append_chunk(png, "IEND", {});
    return "data:image/png;base64," + base64(std::as_bytes(std::span(png)));
}

}  // namespace summand::cli
