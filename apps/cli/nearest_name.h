// What a mistyped name may have meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace summand::cli {

/// ", did you mean 'search'?" for a name at most a third of whose letters are wrong, else nothing.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

/// The verb of that name, hidden or not; null where there is none.
const CLI::App* find_verb(const CLI::App& app, const std::string& name);

/// Names of the verbs, without hidden ones.
std::vector<std::string> verb_names(const CLI::App& app);

/// Long and short names of the options, as they are written: "--spec", "-s".
std::vector<std::string> option_names(const CLI::App& verb);

}  // namespace summand::cli
