// The container file (.smd): a header, a table of sections and the sections. docs/format.md draws the layout.
//
// Writing gathers sections and streams them out; reading verifies the header and the table against the real size
// first, so that whoever asks for a section allocates only what the file really has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace summand {

inline constexpr std::string_view kContainerMagic = "SUMMAND\n";
inline constexpr std::uint32_t kContainerVersion = 1;

enum class Kind : std::uint32_t {
    model = 1,
    codes = 2,
    index = 3,
    checkpoint = 4,
    inverted = 5,
    vocabulary = 6,
    unfinished = 7,
    inverted_model = 8,
    manifest = 9,
    segment = 10
};

inline constexpr Kind kLastKind = Kind::segment;

std::string_view name(Kind kind);

/// What a section holds. `nibble` is two numbers below 16 a byte, the first in the low half; a row begins a new byte.
enum class Element : std::uint32_t {
    text = 1,
    uint8 = 2,
    nibble = 3,
    uint64 = 4,
    float32 = 5,
    float64 = 6,
    float16 = 7
};

inline constexpr Element kLastElement = Element::float16;

std::string_view name(Element type);

using SectionShape = std::vector<std::uint64_t>;

/// "8×256"
std::string to_string(const SectionShape& shape);

/// Bytes that a section of this shape takes, or nothing where that exceeds 64 bits.
std::optional<std::uint64_t> byte_length(Element type, const SectionShape& shape);

struct Section {
    std::string name;
    Element type = Element::text;
    SectionShape shape;        ///< 1 to 4 sizes
    std::uint64_t offset = 0;  ///< from the beginning of the file, a multiple of 64
    std::uint64_t length = 0;  ///< bytes
    std::uint32_t crc = 0;
};

inline constexpr std::string_view kMetadata = "metadata";  ///< the section with the JSON object
inline constexpr std::uint64_t kLongestMetadata = 1 << 20;
inline constexpr int kDeepestMetadata = 8;  ///< levels; ours has 2
inline constexpr std::size_t kMostSections = 32;
inline constexpr std::size_t kMostDimensions = 4;
inline constexpr std::uint64_t kAlignment = 64;

inline std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

/// Offsets in the header, 64 bytes; the rest is zero.
namespace header {
inline constexpr std::size_t kVersion = 8, kKind = 12, kTotal = 16, kSections = 24, kCrc = 28, kSize = 64;
}

/// Offsets in a row of the table, 96 bytes; the rest is zero.
namespace entry {
inline constexpr std::size_t kName = 0, kNameSize = 32, kType = 32, kDimensions = 36, kShape = 40, kOffset = 72,
                             kLength = 80, kCrc = 88, kSize = 96;
}

}  // namespace summand
