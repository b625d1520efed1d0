// A zip archive as far as NumPy writes it: members stored or deflated, of any size (zip64), not encrypted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.h"

namespace summand {

struct ZipMember {
    std::string name;
    std::uint16_t flags = 0, method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t stored = 0;  ///< bytes in the archive
    std::uint64_t size = 0;    ///< bytes of the content
    std::uint64_t header = 0;  ///< where the member's own header begins
};

/// All members, by the directory at the archive's end.
std::vector<ZipMember> zip_members(const InputFile& file);

/// The content of a member, whose checksum is right: a stored one stays in the file, a deflated one is held in memory.
/// Throws for a size that the stored bytes cannot hold, before memory is taken.
std::unique_ptr<ByteSource> open_member(std::unique_ptr<InputFile> file, const ZipMember& member);

}  // namespace summand
