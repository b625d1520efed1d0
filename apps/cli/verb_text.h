// The verbs and options as the parser knows them, taken out of it once: help, man page and completion of shells are
// written from here.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace summand::cli {

struct OptionText {
    std::vector<std::string> names = {};    ///< "-o", "--output"; of a positional: its one name, "BASE"
    std::string value = {};                 ///< what it takes: FILE, UINT, SPEC …; empty: a flag
    std::vector<std::string> choices = {};  ///< all that it accepts; empty: anything
    std::string description = {};
    bool positional = false, required = false;
};

struct VerbText {
    std::string path;  ///< "aggregate train"; empty: the tool itself
    std::string description, footer;
    std::vector<OptionText> options;
    std::vector<VerbText> verbs;

    std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

/// What options take if it is neither a number nor a file.
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kFolder = "FOLDER";
inline constexpr const char* kSpec = "SPEC";
inline constexpr const char* kVerb = "VERB";

/// Calls options that take text, and do not say which, files.
void name_files(CLI::App& app);

/// Without hidden verbs.
VerbText describe(const CLI::App& app, const std::string& path = {});

/// The tool or a verb and those below it, a verb before its own.
std::vector<const VerbText*> all_verbs(const VerbText& tool);

/// man(7), one page for all verbs.
std::string man_page(const VerbText& tool);

/// The same as Markdown, without what is said of the tool itself.
std::string markdown_page(const VerbText& tool);

std::string bash_completion(const VerbText& tool);
std::string zsh_completion(const VerbText& tool);
std::string fish_completion(const VerbText& tool);

}  // namespace summand::cli
