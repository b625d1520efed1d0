// man(7), as groff and mandoc read it.
#include <fmt/format.h>

#include "summand/device.h"
#include "verb_text.h"

namespace summand::cli {
namespace {

// The code point that begins at text[i], and moves i to its last byte; text is UTF-8.
char32_t code_point(const std::string& text, std::size_t& i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const std::size_t more = byte(i) >= 0xf0 ? 3 : byte(i) >= 0xe0 ? 2 : byte(i) >= 0xc0 ? 1 : 0;
    char32_t value = byte(i) & (more == 0 ? 0x7f : 0x3f >> more);
    for (std::size_t left = more; left > 0 && i + 1 < text.size(); --left) value = value << 6 | (byte(++i) & 0x3f);
    return value;
}

// Every character as itself: backslashes, hyphens that can be copied, what a line must not begin with, all of Unicode.
std::string escaped(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\'')) result += "\\&";
        if (text[i] == '\\')
            result += "\\e";
        else if (text[i] == '-')
            result += "\\-";
        else if (static_cast<unsigned char>(text[i]) < 0x80)
            result += text[i];
        else
            result += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(code_point(text, i)));
    }
    return result;
}

std::string value_of(const OptionText& option) {
    if (option.choices.empty()) return "\\fI" + escaped(option.value) + "\\fR";
    return escaped(fmt::format("{}", fmt::join(option.choices, "|")));
}

std::string synopsis(const VerbText& verb) {
    std::string line = ".B summand " + escaped(verb.path) + "\n";
    if (!verb.verbs.empty()) return line + ".I VERB\n.RI [ option\\~.\\|.\\|. ]\n";
    line += ".RI [ option\\~.\\|.\\|. ]\n";
    for (const OptionText& option : verb.options)
        if (option.positional)
            line += (option.required ? ".I " : ".RI [ ") + escaped(option.names.front()) +
                    (option.required ? "\n" : " ]\n");
    return line;
}

std::string entry(const OptionText& option) {
    std::string names;
    for (const std::string& name : option.names)
        names += fmt::format("{}\\f{}{}\\fR", names.empty() ? "" : ", ", option.positional ? 'I' : 'B', escaped(name));
    const bool valued = !option.positional && !option.value.empty();
    return fmt::format(".TP\n{}{}\n{}\n", names, valued ? " " + value_of(option) : "", escaped(option.description));
}

std::string as_it_is(const std::string& text) { return text.empty() ? "" : ".PP\n.nf\n" + escaped(text) + "\n.fi\n"; }

std::string section(const VerbText& verb) {
    std::string text =
        fmt::format(".SS \"summand {}\"\n{}.\n.PP\n{}", escaped(verb.path), escaped(verb.description), synopsis(verb));
    for (const OptionText& option : verb.options) text += entry(option);
    return text + as_it_is(verb.footer);
}

}  // namespace

std::string man_page(const VerbText& tool) {
    std::string text = fmt::format(
        ".TH SUMMAND 1 \"\" \"summand {}\" \"User Commands\"\n"
        ".SH NAME\nsummand \\- compact codes and nearest\\-neighbour search\n"
        ".SH SYNOPSIS\n.B summand\n.I VERB\n.RI [ option\\~.\\|.\\|. ]\n.RI [ argument\\~.\\|.\\|. ]\n"
        ".SH DESCRIPTION\n{}\n",
        version(), escaped(tool.description));
    for (const OptionText& option : tool.options) text += entry(option);
    text += as_it_is(tool.footer) + ".SH VERBS\n";
    for (const VerbText* verb : all_verbs(tool))
        if (verb != &tool) text += section(*verb);
    return text +
           ".SH ENVIRONMENT\n.TP\n\\fBSUMMAND_KERNELS\\fR\n"
           "The instruction set to use: scalar, avx2, avx512 or neon. Results do not depend on it.\n"
           ".TP\n\\fBTMPDIR\\fR\nFolder for what is read from standard input or written to standard output.\n"
           ".SH \"EXIT STATUS\"\n0 done, 1 failed, 2 wrong usage, 130 interrupted.\n";
}

}  // namespace summand::cli
