#include "io/container_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/byte_order.h"
#include "base/hash.h"

namespace summand {

namespace {

std::string_view with_article(Kind kind) {
    switch (kind) {
        case Kind::model:
            return "a model";
        case Kind::codes:
            return "codes";
        case Kind::index:
            return "an index";
        case Kind::inverted:
            return "an inverted index";
        case Kind::vocabulary:
            return "a vocabulary";
        case Kind::unfinished:
            return "an unfinished index";
        case Kind::inverted_model:
            return "an inverted model";
        case Kind::manifest:
            return "a manifest";
        case Kind::segment:
            return "a segment";
        default:
            return "a checkpoint";
    }
}

bool all_zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

// The checksum is taken with a zero in its own place.
bool is_sound_head(Bytes head) {
    const auto crc = load_little<std::uint32_t>(&head[header::kCrc]);
    store_little(&head[header::kCrc], std::uint32_t{0});
    return crc == crc32_of(head.data(), head.size());
}

ContainerReader::ContainerReader(const ByteSource& bytes, std::string_view name) : bytes_(bytes), name_(name) {
    const Bytes head = verified_head();
    const std::size_t count = (head.size() - header::kSize) / entry::kSize;
    for (std::size_t i = 0; i < count; ++i)
        sections_.push_back(parse_entry(&head[header::kSize + entry::kSize * i], i));
    check_layout();
}

/// Header and table; sets kind and version.
Bytes ContainerReader::verified_head() {
    const std::uint64_t size = bytes_.size();
    check(size > 0, "the file is empty");
    Bytes head(std::min<std::uint64_t>(size, header::kSize));
    bytes_.read_at(0, head);
    const std::size_t compared = std::min(head.size(), kContainerMagic.size());
    check(std::memcmp(head.data(), kContainerMagic.data(), compared) == 0,
          "is not a summand file: it does not begin with SUMMAND");
    check(size >= header::kSize, "truncated: the header takes ", header::kSize, " bytes, the file has ", size);

    version_ = load_little<std::uint32_t>(&head[header::kVersion]);
    check(version_ == kContainerVersion, "format version ", version_, ", this program reads version ",
          kContainerVersion);
    const auto count = load_little<std::uint32_t>(&head[header::kSections]);
    check(count >= 1 && count <= kMostSections, "damaged header: ", count, " sections, expected 1 to ", kMostSections);
    const auto total = load_little<std::uint64_t>(&head[header::kTotal]);
    const std::uint64_t head_size = header::kSize + entry::kSize * count;
    check(size >= head_size, "truncated: ", std::max(total, head_size) - size, " of ", std::max(total, head_size),
          " bytes are missing");

    head.resize(head_size);
    bytes_.read_at(0, head);
    check(is_sound_head(head), "damaged header: its checksum does not match");
    check(total <= size, "truncated: ", total - size, " of ", total, " bytes are missing");
    check(total == size, "trailing bytes: ", size - total, " follow the ", total, " of the file");
    const auto kind = load_little<std::uint32_t>(&head[header::kKind]);
    check(kind >= 1 && kind <= static_cast<std::uint32_t>(kLastKind), "kind ", kind,
          ", expected 1 (model), 2 (codes), 3 (index), 4 (checkpoint), 5 (inverted index), 6 (vocabulary), "
          "7 (unfinished index), 8 (inverted model), 9 (manifest) or 10 (segment)");
    kind_ = static_cast<Kind>(kind);
    return head;
}

Section ContainerReader::parse_entry(const std::byte* bytes, std::size_t number) const {
    const char* text = reinterpret_cast<const char*>(bytes + entry::kName);
    Section section;
    section.name.assign(text, std::find(text, text + entry::kNameSize, '\0'));
    const auto printable = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    check(!section.name.empty() && std::all_of(section.name.begin(), section.name.end(), printable), "section ", number,
          " has a name that is not made of the letters a to z");
    check(!has(section.name), "section ", section.name, " occurs twice");

    const auto type = load_little<std::uint32_t>(bytes + entry::kType);
    check(type >= 1 && type <= static_cast<std::uint32_t>(kLastElement), "section ", section.name, " has element type ",
          type, ", expected 1 to ", static_cast<std::uint32_t>(kLastElement));
    section.type = static_cast<Element>(type);
    const auto dimensions = load_little<std::uint32_t>(bytes + entry::kDimensions);
    check(dimensions >= 1 && dimensions <= kMostDimensions, "section ", section.name, " has ", dimensions,
          " dimensions, expected 1 to ", kMostDimensions);
    for (std::size_t i = 0; i < dimensions; ++i)
        section.shape.push_back(load_little<std::uint64_t>(bytes + entry::kShape + 8 * i));
    section.offset = load_little<std::uint64_t>(bytes + entry::kOffset);
    section.length = load_little<std::uint64_t>(bytes + entry::kLength);
    section.crc = load_little<std::uint32_t>(bytes + entry::kCrc);
    return section;
}

/// Sections fill the file in the order of the table, with zeros up to the next multiple of 64 between them.
void ContainerReader::check_layout() const {
    std::uint64_t end = header::kSize + entry::kSize * sections_.size();
    for (const Section& section : sections_) {
        const auto expected = byte_length(section.type, section.shape);
        check(expected == section.length, "section ", section.name, " has ", section.length, " bytes, which its shape ",
              to_string(section.shape), " of ", summand::name(section.type), " does not take");
        check(section.offset == aligned(end) && section.offset <= bytes_.size() &&
                  section.length <= bytes_.size() - section.offset,
              "section ", section.name, " lies at byte ", section.offset, " with ", section.length,
              " bytes, expected it at ", aligned(end), " and inside the file");
        std::array<std::byte, kAlignment> padding;
        const auto between = std::span(padding).first(section.offset - end);
        bytes_.read_at(end, between);
        check(all_zero(between), "damaged: the padding before section ", section.name, " is not zero");
        end = section.offset + section.length;
    }
    check(end == bytes_.size(), "trailing bytes: ", bytes_.size() - end, " follow the last section");
}

bool ContainerReader::has(std::string_view section) const {
    return std::any_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == section; });
}

void ContainerReader::expect(Kind kind, std::initializer_list<std::string_view> known) const {
    check(kind_ == kind, "holds ", with_article(kind_), ", expected ", with_article(kind));
    for (const Section& section : sections_)
        check(section.name == kMetadata || std::find(known.begin(), known.end(), section.name) != known.end(),
              "has a section ", section.name, ", which does not belong to ", with_article(kind));
}

const Section& ContainerReader::find(std::string_view section) const {
    const auto found =
        std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == section; });
    check(found != sections_.end(), "has no section ", section);
    return *found;
}

const Section& ContainerReader::find(std::string_view section, Element type, const SectionShape& shape) const {
    const Section& found = find(section);
    check(found.type == type && found.shape == shape, "section ", section, " is ", to_string(found.shape), " ",
          summand::name(found.type), ", expected ", to_string(shape), " ", summand::name(type));
    return found;
}

const Section& ContainerReader::verified(std::string_view section, Element type, const SectionShape& shape) const {
    constexpr std::uint64_t kChunk = 1 << 18;
    const Section& found = find(section, type, shape);
    Bytes chunk(std::min(kChunk, found.length));
    std::uint32_t crc = 0;
    for (std::uint64_t done = 0; done < found.length; done += chunk.size()) {
        chunk.resize(std::min(kChunk, found.length - done));
        bytes_.read_at(found.offset + done, chunk);
        crc = crc32_of(chunk.data(), chunk.size(), crc);
    }
    check(crc == found.crc, "section ", found.name, " is damaged: its checksum does not match");
    return found;
}

void ContainerReader::read(const Section& section, std::span<std::byte> out) const {
    bytes_.read_at(section.offset, out);
    check(crc32_of(out.data(), out.size()) == section.crc, "section ", section.name,
          " is damaged: its checksum does not match");
    if (section.type != Element::float32) return;
    for (std::size_t i = 0; i < out.size(); i += sizeof(float))
        check(std::isfinite(load_little<float>(&out[i])), "section ", section.name,
              " holds a number that is not finite");
}

nlohmann::json ContainerReader::metadata() const {
    const Section& section = find(kMetadata);
    check(section.type == Element::text && section.length <= kLongestMetadata, "section metadata is ", section.length,
          " bytes of ", summand::name(section.type), ", expected text of at most ", kLongestMetadata);
    std::string text(section.length, ' ');
    read(section, std::as_writable_bytes(std::span(text)));
    bool too_deep = false;  // copies of what is nested deeper go down the stack as far
    const auto watch_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        too_deep |= depth > kDeepestMetadata;
        return !too_deep;
    };
    nlohmann::json parsed = nlohmann::json::parse(text, watch_depth, /* allow_exceptions */ false);
    check(!too_deep, "section metadata nests objects deeper than ", kDeepestMetadata, " levels");
    check(parsed.is_object(), "section metadata is not a JSON object");
    return parsed;
}

}  // namespace summand
