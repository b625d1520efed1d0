// The sections of an inverted index without its lists, which stand in index files and in unfinished ones.
#pragma once

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "summand/inverted_index.h"

namespace summand {

/// The model is borrowed until the container is written.
void add_inverted_model(ContainerWriter& writer, const InvertedModel& model);

InvertedModel read_inverted_model(const ContainerReader& reader, const nlohmann::json& metadata);

}  // namespace summand
