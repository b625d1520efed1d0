// Neighbours as results: ids to a file or to standard output.
#pragma once

#include "run.h"

namespace summand::cli {

/// How neighbours are ordered, under the help of a verb that finds them.
void add_scores_help(CLI::App& verb);

/// --output of ids; required, unless it is a dry run.
void add_answers(CLI::App& verb, std::string& path, const RunOptions& options);

/// Ids, best first: a file, binary on standard output (`ivecs:-`), or lines of text there ("-").
void write_answers(const std::string& path, const Neighbors& found);

/// A line of query, id and score for each answer: a file, or "-" for standard output.
void write_range_answers(const std::string& path, const RangeNeighbors& found);

/// Ids, best first, for check_outputs: lines of text need no format.
Output answers_output(const std::string& path);

}  // namespace summand::cli
