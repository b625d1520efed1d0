// The sections of packed codes, which lie in an index file as the scan reads them and are used in place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "index/packed_codes.h"
#include "io/index_sections.h"

namespace summand {

/// The codes are borrowed until the container is written, and so are the ids that lie beside them, one for each vector
/// or none. Codes of more than a mebibyte get checksums of their pieces.
void add_packed_codes(ContainerWriter& writer, const PackedCodes& codes, std::span<const std::uint64_t> ids = {});

/// What the section `ids` holds: nothing, as it is not there, what users call vectors, or rows below their number.
enum class IdsBeside : std::uint8_t { none, any, rows };

struct PackedSections {
    std::shared_ptr<const PackedCodes> codes;
    std::span<const std::uint64_t> ids;  ///< checked together with the codes where these are checked on first use
};

PackedSections read_packed_codes(const IndexFile& file, IdsBeside ids);

}  // namespace summand
