// summand help, and the hidden verb that writes the man page, the page of the site and the completion of shells.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "nearest_name.h"
#include "verb_text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

// Finds a verb by the names on its path. An unknown name is wrong usage.
const CLI::App& verb_named(const CLI::App& app, const std::vector<std::string>& names) {
    const CLI::App* verb = &app;
    for (const std::string& name : names) {
        const CLI::App* below = find_verb(*verb, name);
        if (below == nullptr)
            throw CLI::ParseError(fmt::format("unknown verb '{}'{}", name, did_you_mean(name, verb_names(*verb))), 2);
        verb = below;
    }
    return *verb;
}

void print_help(const CLI::App& app, const std::vector<std::string>& names) {
    const CLI::App& verb = verb_named(app, names);
    std::string path = app.get_name();
    for (const std::string& name : names) path += " " + name;
    fmt::print("{}", verb.get_formatter()->make_help(&verb, path, CLI::AppFormatMode::Normal));
}

}  // namespace

void add_help(CLI::App& app, Chosen& chosen) {
    auto names = std::make_shared<std::vector<std::string>>();
    CLI::App& verb = add_verb(app, chosen, "help", "Show the help of the tool or of a verb", "summand help search",
                              [&app, names] { print_help(app, *names); });
    verb.add_option("VERB", *names, "Verb to explain")->type_name(kVerb);
    verb.parse_complete_callback([&app, names] { verb_named(app, *names); });
}

void add_documentation(CLI::App& app, Chosen& chosen) {
    static const std::map<std::string, std::string (*)(const VerbText&)> writers{{"man", man_page},
                                                                                 {"markdown", markdown_page},
                                                                                 {"bash", bash_completion},
                                                                                 {"zsh", zsh_completion},
                                                                                 {"fish", fish_completion}};
    auto format = std::make_shared<std::string>();
    CLI::App& verb = add_verb(
        app, chosen, "documentation", "Print the man page, the same in Markdown, or the completion of a shell",
        "summand documentation bash", [&app, format] { fmt::print("{}", writers.at(*format)(describe(app))); });
    verb.add_option("FORMAT", *format, "What to print")
        ->required()
        ->check(CLI::IsMember({"man", "markdown", "bash", "zsh", "fish"}));
    verb.group("");
}

}  // namespace summand::cli
