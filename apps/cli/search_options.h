// How the verbs that ask an index load it and what they ask.
#pragma once

#include "run.h"

namespace summand::cli {

/// Which cells a query visits, how their vectors are scored, and how many of them are scored again.
struct ProbeOptions {
    SearchParameters parameters = {};
    bool reconstruct = false;
    OpenOptions opening = {};
};

/// --refine-file.
void add_refine_file(CLI::App& verb, OpenOptions& options);

void add_probes(CLI::App& verb, ProbeOptions& options);

/// Throws for cells or a second layer that are asked for and not there.
Index load_for_search(const std::string& path, const ProbeOptions& options);

SearchOptions search_options(const ProbeOptions& options, std::size_t k, const Execution& execution);

}  // namespace summand::cli
