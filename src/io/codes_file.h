// The sections of codes, which stand in codes files and in index files.
#pragma once

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "summand/codes.h"
#include "summand/quantizer.h"

namespace summand {

/// Throws where the codes were not made by the quantizer. They are borrowed until the container is written.
void add_codes(ContainerWriter& writer, const Codes& codes, const Quantizer& quantizer);

Codes read_codes(const ContainerReader& reader, const nlohmann::json& metadata);

}  // namespace summand
