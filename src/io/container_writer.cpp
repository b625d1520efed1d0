#include "io/container_writer.h"

#include <array>
#include <cassert>
#include <cstring>

#include "base/byte_order.h"
#include "base/hash.h"
#include "summand/error.h"

namespace summand {

namespace {

void store_entry(std::byte* out, const Section& section) {
    std::memcpy(out + entry::kName, section.name.data(), section.name.size());
    store_little(out + entry::kType, static_cast<std::uint32_t>(section.type));
    store_little(out + entry::kDimensions, static_cast<std::uint32_t>(section.shape.size()));
    for (std::size_t i = 0; i < section.shape.size(); ++i) store_little(out + entry::kShape + 8 * i, section.shape[i]);
    store_little(out + entry::kOffset, section.offset);
    store_little(out + entry::kLength, section.length);
    store_little(out + entry::kCrc, section.crc);
}

}  // namespace

void ContainerWriter::add_bytes(const std::string& section, Element type, const SectionShape& shape,
                                std::span<const std::byte> bytes) {
    assert(section.size() < entry::kNameSize && shape.size() <= kMostDimensions && sections_.size() < kMostSections);
    assert(byte_length(type, shape) == bytes.size());
    sections_.push_back({section, type, shape, 0, bytes.size(), crc32_of(bytes.data(), bytes.size())});
    contents_.push_back(bytes);
}

/// Adds the metadata and gives every section its offset.
void ContainerWriter::place_sections() {
    std::string text;
    try {
        text = metadata.dump();
    } catch (const nlohmann::json::exception& error) {  // a string that is not UTF-8
        throw Error(concatenate("save: the metadata cannot be written: ", error.what()));
    }
    require(text.size() <= kLongestMetadata, "save: the metadata takes ", text.size(), " bytes, expected at most ",
            kLongestMetadata);
    const SectionShape shape{text.size()};
    add(std::string(kMetadata), Element::text, shape, std::vector<char>(text.begin(), text.end()));

    std::uint64_t offset = header::kSize + entry::kSize * sections_.size();
    for (Section& section : sections_) {
        section.offset = aligned(offset);
        offset = section.offset + section.length;
    }
}

std::uint64_t ContainerWriter::total() const { return sections_.back().offset + sections_.back().length; }

Bytes ContainerWriter::head() const {
    Bytes head(header::kSize + entry::kSize * sections_.size());
    std::memcpy(head.data(), kContainerMagic.data(), kContainerMagic.size());
    store_little(&head[header::kVersion], kContainerVersion);
    store_little(&head[header::kKind], static_cast<std::uint32_t>(kind_));
    store_little(&head[header::kTotal], total());
    store_little(&head[header::kSections], static_cast<std::uint32_t>(sections_.size()));
    for (std::size_t i = 0; i < sections_.size(); ++i)
        store_entry(&head[header::kSize + entry::kSize * i], sections_[i]);
    store_little(&head[header::kCrc], crc32_of(head.data(), head.size()));  // over a zero in its own place
    return head;
}

void ContainerWriter::write(const Sink& sink) const {
    constexpr std::array<std::byte, kAlignment> kZeros{};
    const Bytes start = head();
    sink(start);
    std::uint64_t offset = start.size();
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        sink({kZeros.data(), sections_[i].offset - offset});
        sink(contents_[i]);
        offset = sections_[i].offset + sections_[i].length;
    }
}

Bytes ContainerWriter::finish() {
    place_sections();
    Bytes result;
    result.reserve(total());
    write([&](std::span<const std::byte> bytes) { result.insert(result.end(), bytes.begin(), bytes.end()); });
    return result;
}

void ContainerWriter::finish(const std::string& path, NameLasts lasts) {
    place_sections();
    AtomicFile file(path);
    write([&](std::span<const std::byte> bytes) { file.append(bytes); });
    file.commit(lasts);
}

}  // namespace summand
