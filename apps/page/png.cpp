#include "png.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

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

std::string base64(const ByteString& bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (i + j < bytes.size() ? bytes[i + j] : 0u);
        for (const std::size_t j : {0, 1, 2, 3})
            text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

}  // namespace

std::string png_data_uri(std::span<const float> values, std::size_t width) {
    ByteString png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    append_chunk(png, "IHDR", header(width, values.size() / width));
    append_chunk(png, "IDAT", pixels(values, width));
    append_chunk(png, "IEND", {});
    return "data:image/png;base64," + base64(png);
}

}  // namespace summand::cli
