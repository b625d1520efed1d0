// An inverted index in the making, in a file that grows, so that a build that was killed goes on where it was:
//
//     | task and model | chunk 0 | chunk 1 | …          each a container with checksums (docs/format.md)
//
//     if (!holds_unfinished_index(path)) begin_index(path, task, model);
//     InvertedBuilder builder = resume_index(path, task);
//     while (…) {                                        // from vector builder.size() on
//         const CellCodes chunk = builder.encode(vectors);
//         append_chunk(path, chunk, builder);
//         builder.add(chunk);
//     }
//
// Codes depend on the model and the vector alone, so the index is the same wherever the work was cut.
#pragma once

#include <map>
#include <string>

#include "summand/inverted_index.h"

namespace summand {

/// Whatever decides about the index, under the name that users know it by: {{"--seed", "1"}, …}.
using BuildTask = std::map<std::string, std::string>;

/// Whether the file exists and begins like one.
bool holds_unfinished_index(const std::string& path);

/// What its build was asked for.
BuildTask unfinished_task(const std::string& path);

/// Replaces the file by one without chunks.
void begin_index(const std::string& path, const BuildTask& task, const InvertedModel& model);

/// A builder with all chunks of the file. One at the end that is not complete is cut off; a damaged file and one of
/// another task are refused.
InvertedBuilder resume_index(const std::string& path, const BuildTask& task, EncodeOptions options = {});

/// Reads all of it, and leaves it as it is. Throws `Error` where it is damaged; a chunk at the end that is not complete
/// is no damage.
void verify_unfinished_index(const std::string& path);

/// Appends a chunk, which has not yet been added to the builder; it is on the disk when this returns.
void append_chunk(const std::string& path, const CellCodes& chunk, const InvertedBuilder& builder);

}  // namespace summand
