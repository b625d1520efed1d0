#include "fuzz/forge.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/byte_order.h"
#include "base/hash.h"
#include "io/byte_source.h"
#include "io/container_reader.h"
#include "summand/error.h"

namespace summand::fuzz {
namespace {

struct Part {
    std::string name;
    std::uint32_t type = 0;
    SectionShape shape;
    Bytes bytes;
};

struct Parts {
    std::uint32_t kind = 0;
    std::vector<Part> sections;
};

std::optional<Parts> taken_apart(std::span<const std::byte> container) {
    try {
        const MemoryBytes bytes(container);
        const ContainerReader reader(bytes, "good");
        Parts parts{static_cast<std::uint32_t>(reader.kind()), {}};
        for (const Section& section : reader.sections()) {
            const auto content = container.subspan(section.offset, section.length);
            parts.sections.push_back({section.name, static_cast<std::uint32_t>(section.type), section.shape,
                                      Bytes(content.begin(), content.end())});
        }
        return parts;
    } catch (const Error&) {
        return std::nullopt;
    }
}

// Unlike ContainerWriter it writes shapes that do not fit, and kinds and types that there are not.
Bytes put_together(const Parts& parts) {
    Bytes out(header::kSize + entry::kSize * parts.sections.size());
    std::memcpy(out.data(), kContainerMagic.data(), kContainerMagic.size());
    store_little(&out[header::kVersion], kContainerVersion);
    store_little(&out[header::kKind], parts.kind);
    store_little(&out[header::kSections], static_cast<std::uint32_t>(parts.sections.size()));
    for (std::size_t i = 0; i < parts.sections.size(); ++i) {
        const Part& part = parts.sections[i];
        out.resize(aligned(out.size()));
        std::byte* row = &out[header::kSize + entry::kSize * i];
        std::memcpy(row + entry::kName, part.name.data(), std::min(part.name.size(), entry::kNameSize));
        store_little(row + entry::kType, part.type);
        store_little(row + entry::kDimensions, static_cast<std::uint32_t>(part.shape.size()));
        for (std::size_t s = 0; s < part.shape.size(); ++s) store_little(row + entry::kShape + 8 * s, part.shape[s]);
        store_little(row + entry::kOffset, std::uint64_t{out.size()});
        store_little(row + entry::kLength, std::uint64_t{part.bytes.size()});
        store_little(row + entry::kCrc, crc32_of(part.bytes.data(), part.bytes.size()));
        out.insert(out.end(), part.bytes.begin(), part.bytes.end());
    }
    store_little(&out[header::kTotal], std::uint64_t{out.size()});
    seal_head(out);
    return out;
}

constexpr std::uint64_t kStrange[] = {0,
                                      1,
                                      2,
                                      15,
                                      16,
                                      17,
                                      255,
                                      256,
                                      257,
                                      65'535,
                                      65'536,
                                      std::uint64_t{1} << 31,
                                      (std::uint64_t{1} << 32) - 1,
                                      std::uint64_t{1} << 32,
                                      std::uint64_t{1} << 61,
                                      (std::uint64_t{1} << 62) + 1,
                                      (std::uint64_t{1} << 63) - 1,
                                      std::uint64_t{1} << 63,
                                      std::numeric_limits<std::uint64_t>::max() - 511,
                                      std::numeric_limits<std::uint64_t>::max()};

std::uint64_t strange(std::uint64_t value, Random& random) {
    switch (random.below(4)) {
        case 0:
            return value + 1;
        case 1:
            return value - 1;
        case 2:
            return random.below(70);
        default:
            return kStrange[random.below(std::size(kStrange))];
    }
}

// So that the shape, where it asks for little, is right.
void fit(Part& part, std::size_t most) {
    const auto length = byte_length(static_cast<Element>(part.type), part.shape);
    if (length && *length <= most) part.bytes.resize(*length);
}

void scramble_bytes(Bytes& bytes, std::size_t most, Scramble scramble) {
    const std::size_t size = bytes.size(), room = std::max(size, std::min(most, size + 64));
    bytes.resize(std::max<std::size_t>(room, 1));
    bytes.resize(scramble(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

// One number of a section.
void change_number(Part& part, Random& random) {
    const auto type = static_cast<Element>(part.type);
    const std::size_t width = type == Element::uint64 || type == Element::float64 ? 8
                              : type == Element::float32                          ? 4
                              : type == Element::float16                          ? 2
                                                                                  : 1;
    if (part.bytes.size() < width) return;
    std::byte* at = &part.bytes[random.below(part.bytes.size() / width) * width];
    constexpr float kFloats[] = {0, -0.0f, 1e-45f, 1e30f, -3e38f, __builtin_inff(), __builtin_nanf("")};
    if (type == Element::float32) return store_little(at, kFloats[random.below(std::size(kFloats))]);
    std::uint64_t value = 0;
    std::memcpy(&value, at, width);
    value = strange(value, random);
    std::memcpy(at, &value, width);
}

void replace_all(Bytes& bytes, std::string_view from, std::string_view to) {
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    bytes.assign(begin, begin + text.size());
}

// A whole number of the metadata, and every size of a section that is the same: n, M, K and D become others everywhere.
void change_size(Parts& parts, std::size_t most, Random& random) {
    Bytes& metadata = parts.sections.back().bytes;
    const std::string text(reinterpret_cast<const char*>(metadata.data()), metadata.size());
    std::vector<std::string> numbers;
    for (std::size_t at = 0; (at = text.find_first_of(":", at)) != std::string::npos;) {
        const std::size_t end = text.find_first_not_of("0123456789", ++at);
        if (end != std::string::npos && end > at && end - at < 19 && (text[end] == ',' || text[end] == '}'))
            numbers.push_back(text.substr(at, end - at));
    }
    if (numbers.empty()) return;
    const std::string from = numbers[random.below(numbers.size())];
    const std::uint64_t before = std::stoull(from), after = strange(before, random);
    replace_all(metadata, ":" + from + ",", ":" + std::to_string(after) + ",");
    replace_all(metadata, ":" + from + "}", ":" + std::to_string(after) + "}");
    parts.sections.back().shape = {metadata.size()};
    if (random.below(4) == 0) return;  // the metadata alone
    for (Part& part : parts.sections) {
        if (part.name == kMetadata) continue;
        for (std::uint64_t& size : part.shape)
            if (size == before) size = after;
        fit(part, most);
    }
}

void change_metadata(Part& metadata, std::size_t most, Scramble scramble, Random& random) {
    constexpr std::string_view kWords[] = {"true", "false",  "null",   "\"\"", "-1",   "0",   "1e400",
                                           "[]",   "{\"a\"", "cosine", "ip",   "tree", "beam"};
    if (random.below(2) == 0) {
        scramble_bytes(metadata.bytes, most, scramble);
    } else {
        const std::string_view word = kWords[random.below(std::size(kWords))];
        const auto* begin = reinterpret_cast<const std::byte*>(word.data());
        const auto at = static_cast<std::ptrdiff_t>(random.below(metadata.bytes.size() + 1));
        metadata.bytes.insert(metadata.bytes.begin() + at, begin, begin + word.size());
    }
    metadata.shape = {metadata.bytes.size()};
}

void change_section(Parts& parts, std::size_t i, Random& random) {
    Part& part = parts.sections[i];
    switch (random.below(4)) {
        case 0:
            parts.sections.erase(parts.sections.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        case 1:
            part.type = 1 + static_cast<std::uint32_t>(random.below(8));
            break;
        case 2:
            std::swap(part, parts.sections[random.below(parts.sections.size())]);
            break;
        default:
            part.name = parts.sections[random.below(parts.sections.size())].name;
    }
}

Bytes of_other_head(Bytes container, Random& random) {
    const std::size_t head = header::kSize + entry::kSize * load_little<std::uint32_t>(&container[header::kSections]);
    container[random.below(head)] ^= std::byte{1} << random.below(8);
    if (container.size() >= head) seal_head(container);
    return container;
}

// In a second layer's model too.
bool write_identity(Bytes& container, std::string_view wrong, std::string_view right) {
    auto parts = taken_apart(container);
    if (!parts) return false;
    for (Part& part : parts->sections) {
        if (part.name == kMetadata) replace_all(part.bytes, wrong, right);
        if (part.name == "refine_model") write_identity(part.bytes, wrong, right);
    }
    container = put_together(*parts);
    return true;
}

}  // namespace

void seal_head(Bytes& container) {
    const std::size_t head = header::kSize + entry::kSize * load_little<std::uint32_t>(&container[header::kSections]);
    store_little(&container[header::kCrc], std::uint32_t{0});
    store_little(&container[header::kCrc], crc32_of(container.data(), std::min(head, container.size())));
}

Bytes forged(std::span<const std::byte> good, std::size_t most, Scramble scramble, Random& random) {
    auto parts = taken_apart(good);
    if (!parts) {
        Bytes bytes(good.begin(), good.end());
        scramble_bytes(bytes, most, scramble);
        return bytes;
    }
    const std::size_t i = random.below(parts->sections.size());
    Part& part = parts->sections[i];
    switch (random.below(12)) {
        case 0:
            return of_other_head(put_together(*parts), random);
        case 1:
            change_section(*parts, i, random);
            break;
        case 2:
            parts->kind = 1 + static_cast<std::uint32_t>(random.below(11));
            break;
        case 3: {
            std::uint64_t& size = part.shape[random.below(part.shape.size())];
            size = strange(size, random);
            fit(part, most);
            break;
        }
        case 4:
        case 5:
            change_metadata(parts->sections.back(), most, scramble, random);
            break;
        case 6:
        case 7:
            change_size(*parts, most, random);
            break;
        case 8:
        case 9:
            change_number(part, random);
            break;
        default:
            if (part.name == "refine_model") {
                part.bytes = forged(part.bytes, most, scramble, random);
                part.shape = {part.bytes.size()};
            } else {
                scramble_bytes(part.bytes, most, scramble);
                fit(part, most);
            }
    }
    Bytes result = put_together(*parts);
    if (result.size() > most) result.resize(most);
    return result;
}

bool correct_identity(Bytes& container, std::string_view refusal) {
    constexpr std::size_t kDigits = 16;
    struct Pattern {
        std::string_view first, second;
        bool second_is_right;
    };
    constexpr Pattern kPatterns[] = {{"identity is ", ", the file says ", false},
                                     {"is model ", ", the manifest names ", false},
                                     {"made by model ", ", the file holds model ", true},
                                     {"is of model ", ", expected ", true}};
    for (const Pattern& pattern : kPatterns) {
        const std::size_t first = refusal.find(pattern.first), second = refusal.find(pattern.second, first);
        if (first == refusal.npos || second == refusal.npos) continue;
        std::string_view right = refusal.substr(first + pattern.first.size(), kDigits);
        std::string_view wrong = refusal.substr(second + pattern.second.size(), kDigits);
        if (pattern.second_is_right) std::swap(right, wrong);
        return right.size() == kDigits && wrong.size() == kDigits && write_identity(container, wrong, right);
    }
    return false;
}

}  // namespace summand::fuzz
