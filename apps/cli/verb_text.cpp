#include "verb_text.h"

#include <algorithm>

namespace summand::cli {
namespace {

bool is_shown(const CLI::App* verb) { return !verb->get_group().empty(); }

// "TEXT:{euclidean,ip}" is what the parser calls text that is one of these.
std::vector<std::string> choices_of(const std::string& type) {
    const std::size_t open = type.find(":{");
    if (open == std::string::npos || !type.ends_with('}')) return {};
    return CLI::detail::split(type.substr(open + 2, type.size() - open - 3), ',');
}

OptionText describe(const CLI::Option& option) {
    OptionText text{.description = option.get_description(),
                    .positional = option.get_positional(),
                    .required = option.get_required()};
    if (text.positional) {
        text.names = {option.get_name(true)};
    } else {
        for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
    }
    if (option.get_type_size_max() == 0) return text;  // a flag
    const std::string type = option.get_type_name();
    text.choices = choices_of(type);
    text.value = type.substr(0, type.find(':'));
    return text;
}

}  // namespace

void name_files(CLI::App& app) {
    for (CLI::Option* option : app.get_options())
        if (option->get_type_name() == "TEXT") option->type_name(kFile);
    for (CLI::App* verb : app.get_subcommands({})) name_files(*verb);
}

VerbText describe(const CLI::App& app, const std::string& path) {
    VerbText text{path, app.get_description(), app.get_footer(), {}, {}};
    for (const CLI::Option* option : app.get_options()) text.options.push_back(describe(*option));
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
        if (is_shown(verb))
            text.verbs.push_back(describe(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name()));
    return text;
}

std::vector<const VerbText*> all_verbs(const VerbText& tool) {
    std::vector<const VerbText*> all{&tool};
    for (const VerbText& verb : tool.verbs) {
        const std::vector<const VerbText*> below = all_verbs(verb);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

}  // namespace summand::cli
