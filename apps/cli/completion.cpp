// Completion of verbs, options and what they take, for three shells. Values are chosen by the names of VerbText: files,
// folders, methods, fixed choices; numbers are left to the user.
#include <fmt/format.h>

#include <algorithm>

#include "summand/train.h"
#include "verb_text.h"

namespace summand::cli {
namespace {

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const MethodInfo& method : methods()) names.emplace_back(method.name);
    return names;
}

std::vector<std::string> names_below(const VerbText& verb) {
    std::vector<std::string> names;
    for (const VerbText& below : verb.verbs) names.push_back(below.name());
    return names;
}

// Words to choose from; empty for files, numbers and flags.
std::vector<std::string> words_of(const OptionText& option, const VerbText& tool) {
    if (option.value == kSpec) return method_names();
    if (option.value == kVerb) return names_below(tool);
    return option.choices;
}

bool takes_files(const OptionText& option) { return option.value == kFile || option.value == kFolder; }

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string in_quotes(std::string text, const std::string& quote) {
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += quote.size())
        text.replace(at, 1, quote);
    return "'" + text + "'";
}

std::string with_underscores(std::string path) {
    std::replace(path.begin(), path.end(), ' ', '_');
    return path.empty() ? "_summand" : "_summand_" + path;
}

// --- bash
// -------------------------------------------------------------------------------------------------------------

// What completes the value of an option or an argument, as a command of the script.
std::string bash_values(const OptionText& option, const VerbText& tool) {
    const std::string words = joined(words_of(option, tool));
    if (!words.empty()) return fmt::format("_summand_words '{}'{}", words, option.value == kSpec ? " -o nospace" : "");
    if (!takes_files(option)) return ":";
    return option.value == kFolder ? "_summand_files -d" : "_summand_files -f";
}

std::string bash_verb(const VerbText& verb, const VerbText& tool) {
    std::string options, values, arguments = joined(names_below(verb));
    if (!arguments.empty()) arguments = fmt::format("_summand_words '{}'", arguments);
    for (const OptionText& option : verb.options) {
        if (option.positional) {
            if (arguments.empty()) arguments = bash_values(option, tool);
            continue;
        }
        options += (options.empty() ? "" : " ") + joined(option.names);
        if (!option.value.empty())
            values += fmt::format("                {}) {}; return ;;\n", fmt::join(option.names, "|"),
                                  bash_values(option, tool));
    }
    return fmt::format(
        "        '{}')\n            case $before in\n{}            esac\n"
        "            if [[ $word == -* ]]; then _summand_words '{}'; else {}; fi ;;\n",
        verb.path, values, options, arguments.empty() ? ":" : arguments);
}

constexpr const char* kBashStart = R"(# Completion of summand for bash. Made by 'summand documentation bash'.
_summand_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); [[ -z $2 ]] || compopt $2 $3 2>/dev/null; }
_summand_files() { mapfile -t COMPREPLY < <(compgen "$1" -- "$word"); compopt -o filenames 2>/dev/null; }
_summand() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=
    COMPREPLY=()
    if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
    ((COMP_CWORD < 2)) || verb=${COMP_WORDS[1]}
)";

}  // namespace

std::string bash_completion(const VerbText& tool) {
    std::string script = kBashStart, cases;
    for (const VerbText& verb : tool.verbs)
        if (!verb.verbs.empty())
            script += fmt::format("    [[ $verb != '{}' ]] || ((COMP_CWORD < 3)) || verb+=\" ${{COMP_WORDS[2]}}\"\n",
                                  verb.path);
    for (const VerbText* verb : all_verbs(tool)) cases += bash_verb(*verb, tool);
    return script + "    case $verb in\n" + cases + "    esac\n}\ncomplete -F _summand summand\n";
}

// --- zsh
// --------------------------------------------------------------------------------------------------------------

namespace {

// Text inside the brackets and colons of a specification.
std::string zsh_text(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

std::string zsh_action(const OptionText& option, const VerbText& tool) {
    const std::string words = joined(words_of(option, tool));
    if (option.value == kSpec) return fmt::format("{{compadd -S \"\" {}}}", words);
    if (!words.empty()) return fmt::format("({})", words);
    if (!takes_files(option)) return " ";
    return option.value == kFolder ? "_files -/" : "_files";
}

std::string zsh_option(const OptionText& option, const VerbText& tool) {
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option, tool));
    if (option.positional) return " \\\n        " + in_quotes("*" + value, R"('\'')");
    std::string all;
    for (const std::string& name : option.names) {
        const std::string assigned = name.starts_with("--") && !option.value.empty() ? "=" : "";
        const std::string shown =
            fmt::format("({}){}{}[{}]{}", joined(option.names), name, assigned, zsh_text(option.description), value);
        all += " \\\n        " + in_quotes(shown, R"('\'')");
    }
    return all;
}

// _arguments takes one rest of arguments: the first one's kind stands for all.
std::string zsh_arguments(const VerbText& verb, const VerbText& tool) {
    std::string text = "    _arguments";
    bool rest = false;
    for (const OptionText& option : verb.options)
        if (!option.positional || !std::exchange(rest, true)) text += zsh_option(option, tool);
    return text + "\n";
}

std::string zsh_choice_of_verbs(const VerbText& verb) {
    std::string names, calls;
    for (const VerbText& below : verb.verbs) {
        names += "\n        " + in_quotes(below.name() + ":" + zsh_text(below.description), R"('\'')");
        calls += fmt::format("        {}) {} ;;\n", below.name(), with_underscores(below.path));
    }
    return fmt::format(
        "    local -a verbs=({})\n"
        "    if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then _describe verb verbs; return; fi\n"
        "    if ((CURRENT > 2)); then shift words; ((CURRENT--)); case $words[1] in\n{}    esac; return; fi\n",
        names, calls);
}

}  // namespace

std::string zsh_completion(const VerbText& tool) {
    std::string script = "#compdef summand\n# Completion of summand for zsh. Made by 'summand documentation zsh'.\n";
    for (const VerbText* verb : all_verbs(tool))
        script += fmt::format("{}() {{\n{}{}}}\n", with_underscores(verb->path),
                              verb->verbs.empty() ? "" : zsh_choice_of_verbs(*verb), zsh_arguments(*verb, tool));
    return script + "_summand \"$@\"\n";
}

// --- fish
// -------------------------------------------------------------------------------------------------------------

namespace {

std::string fish_quoted(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\') escaped += '\\';
        escaped += c;
    }
    return in_quotes(escaped, "\\'");
}

std::string fish_values(const OptionText& option, const VerbText& tool) {
    const std::string words = joined(words_of(option, tool));
    if (!words.empty()) return fmt::format(" -x -a '{}'", words);
    if (option.value == kFolder) return " -x -a '(__fish_complete_directories)'";
    return option.value == kFile ? " -r -F" : option.value.empty() ? "" : " -x";
}

std::string fish_option(const OptionText& option, const VerbText& verb, const VerbText& tool) {
    std::string line = fmt::format("complete -c summand -n '__summand_at {}'", verb.path);
    for (const std::string& name : option.names)
        if (!option.positional) line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    std::string values = fish_values(option, tool);
    if (option.positional && values == " -r -F") values = " -F";
    if (option.positional && values.empty()) return {};
    return line + values + " -d " + fish_quoted(option.description) + "\n";
}

constexpr const char* kFishStart = R"(# Completion of summand for fish. Made by 'summand documentation fish'.
function __summand_verbs
    commandline -opc | tail -n +2 | string match -v -- '-*'
end
function __summand_exactly # these verbs and nothing after them
    set -l words (__summand_verbs)
    test "$words" = "$argv"
end
function __summand_at # these verbs, whatever follows
    set -l words (__summand_verbs)
    set -l count (count $argv)
    if test $count -eq 0
        return (test (count $words) -eq 0)
    end
    test (count $words) -ge $count; and test "$words[1..$count]" = "$argv"
end
complete -c summand -f
)";

}  // namespace

std::string fish_completion(const VerbText& tool) {
    std::string script = kFishStart;
    for (const VerbText* verb : all_verbs(tool)) {
        for (const VerbText& below : verb->verbs)
            script += fmt::format("complete -c summand -n '__summand_exactly {}' -a {} -d {}\n", verb->path,
                                  below.name(), fish_quoted(below.description));
        for (const OptionText& option : verb->options) script += fish_option(option, *verb, tool);
    }
    return script;
}

}  // namespace summand::cli
