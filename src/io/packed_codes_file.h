// The sections of packed codes, which lie in an index file as the scan reads them and are used in place.
#pragma once

#include <memory>
#include <span>

#include "index/packed_codes.h"
#include "io/container_reader.h"
#include "io/container_writer.h"

namespace summand {

/// The codes are borrowed until the container is written.
void add_packed_codes(ContainerWriter& writer, const PackedCodes& codes);

/// `file`: the bytes that `reader` reads, aligned to 64, which `owner` keeps.
std::shared_ptr<const PackedCodes> read_packed_codes(const ContainerReader& reader, const nlohmann::json& metadata,
                                                     std::span<const std::byte> file,
                                                     std::shared_ptr<const void> owner);

}  // namespace summand
