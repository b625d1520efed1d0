// Sections that are used where they lie, in a mapped file or in memory.
#pragma once

#include <span>

#include "io/container_reader.h"

namespace summand {

/// The values of a section after its checksum was found right. `file`: the bytes that `reader` reads, aligned to 64.
template <class T>
std::span<const T> in_place(const ContainerReader& reader, std::span<const std::byte> file, const char* section,
                            Element type, const SectionShape& shape) {
    const Section& found = reader.verified(section, type, shape);
    return {reinterpret_cast<const T*>(file.data() + found.offset), found.length / sizeof(T)};
}

/// The same before its checksum was looked at.
template <class T>
std::span<const T> in_place_unchecked(const ContainerReader& reader, std::span<const std::byte> file,
                                      const char* section, Element type, const SectionShape& shape) {
    const Section& found = reader.placed(section, type, shape);
    return {reinterpret_cast<const T*>(file.data() + found.offset), found.length / sizeof(T)};
}

}  // namespace summand
