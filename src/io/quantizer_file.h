// The sections of a quantizer, which stand in model files and in index files.
#pragma once

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "summand/quantizer.h"

namespace summand {

/// Throws where the quantizer's parts do not fit each other. It is borrowed until the container is written.
void add_quantizer(ContainerWriter& writer, const Quantizer& quantizer);

/// Words with blocks: the sections `blocks` and `section`, which holds what lies inside them.
void add_blocks(ContainerWriter& writer, const Dictionaries& words, const std::string& section);
Dictionaries read_blocks(const ContainerReader& reader, std::size_t count, std::size_t words, std::size_t dimensions,
                         const std::string& section);

Quantizer read_quantizer(const ContainerReader& reader, const nlohmann::json& metadata);

}  // namespace summand
