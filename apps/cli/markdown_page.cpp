// All verbs in Markdown with definition lists, for the reference of the site.
#include <fmt/format.h>

#include "verb_text.h"

namespace summand::cli {
namespace {

// Every character as itself.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>{}|#~^$").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

std::string synopsis(const VerbText& verb) {
    std::string line = "summand " + verb.path;
    if (!verb.verbs.empty()) return line + " VERB [option …]";
    line += " [option …]";
    for (const OptionText& option : verb.options)
        if (option.positional) line += option.required ? " " + option.names.front() : " [" + option.names.front() + "]";
    return line;
}

std::string value_of(const OptionText& option) {
    if (option.positional || option.value.empty()) return {};
    return option.choices.empty() ? " " + option.value : fmt::format(" {}", fmt::join(option.choices, "|"));
}

std::string entry(const OptionText& option) {
    return fmt::format("`{}{}`\n: {}\n\n", fmt::join(option.names, ", "), value_of(option),
                       escaped(option.description));
}

std::string section(const VerbText& verb) {
    std::string text = fmt::format("## summand {}\n\n{}.\n\n```text\n{}\n```\n\n", verb.path, escaped(verb.description),
                                   synopsis(verb));
    for (const OptionText& option : verb.options)
        if (option.names.back() != "--help") text += entry(option);
    return verb.footer.empty() ? text : text + "```text\n" + verb.footer + "\n```\n\n";
}

}  // namespace

std::string markdown_page(const VerbText& tool) {
    std::string text;
    for (const VerbText* verb : all_verbs(tool))
        if (verb != &tool) text += section(*verb);
    return text;
}

}  // namespace summand::cli
