// The sections of a quantizer, which stand in model files and in index files.
#pragma once

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "summand/quantizer.h"

namespace summand {

/// Throws where the quantizer's parts do not fit each other. It is borrowed until the container is written.
void add_quantizer(ContainerWriter& writer, const Quantizer& quantizer);

Quantizer read_quantizer(const ContainerReader& reader, const nlohmann::json& metadata);

}  // namespace summand
