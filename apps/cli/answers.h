// Neighbours as results: ids to a file or to standard output.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "run.h"

namespace summand::cli {

/// How neighbours are ordered, under the help of a verb that finds them.
void add_scores_help(CLI::App& verb);

/// --output of ids; required, unless it is a dry run.
void add_answers(CLI::App& verb, std::string& path, const RunOptions& options);

/// The texts of ids, of an index whose ids are texts; no function: ids are numbers.
using NamesOf = std::function<std::vector<std::string>(std::span<const std::int64_t>)>;

/// Ids, best first: a file, binary on standard output (`ivecs:-`), or lines of text there ("-").
void write_answers(const std::string& path, const Neighbors& found);

/// Lines of texts on standard output, best first, with tabs between them; a query that found fewer has fewer.
void print_names(const Neighbors& found, const NamesOf& names);

/// A line of query, id and score for each answer: a file, or "-" for standard output.
void write_range_answers(const std::string& path, const RangeNeighbors& found, const NamesOf& names = {});

/// Ids, best first, for check_outputs: lines of text need no format.
Output answers_output(const std::string& path);

}  // namespace summand::cli
