// summand VERB …: parses, runs the verb, and turns every failure into one line on stderr and an exit code:
// 0 done, 1 failed, 2 wrong usage, 130 interrupted.
#include <fmt/format.h>

#include "program.h"
#include "summand/device.h"
#include "verbs.h"

namespace summand::cli {
namespace {

void add_verbs(CLI::App& app, Chosen& chosen) {
    add_train(app, chosen);
    add_encode(app, chosen);
    add_build(app, chosen);
    add_search(app, chosen);
    add_evaluate(app, chosen);
    add_tune(app, chosen);
    add_aggregate(app, chosen);
    add_exact(app, chosen);
    add_info(app, chosen);
    add_convert(app, chosen);
    add_methods(app, chosen);
}

// What is wrong where no verb was recognised.
std::string about_first(const std::string& argument) {
    if (argument.empty()) return "expected a verb";
    return fmt::format("unknown {} '{}'", argument.starts_with('-') ? "option" : "verb", argument);
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first_argument) {
    const auto verbs = app.get_subcommands();
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name();
    complain(verb.empty() ? "summand" : "summand " + verb,
             fmt::format("{} (see 'summand {}--help')", verb.empty() ? about_first(first_argument) : error.what(),
                         verb.empty() ? "" : verb + " "));
    return kWrongUsage;
}

int main(int count, char** arguments) {
    prepare_signals("summand");
    CLI::App app("Compact codes and nearest-neighbour search.", "summand");
    app.set_version_flag("--version", std::string(version()));
    app.require_subcommand(1);
    app.footer(
        "Example:\n  summand build --spec LOCQ8 base.fvecs -o index.smd\n"
        "  summand search index.smd queries.fvecs -k 10 -o result.ivecs");
    Chosen chosen;
    add_verbs(app, chosen);
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : wrong_usage(app, error, count > 1 ? arguments[1] : "");
    }
    return run_work("summand " + chosen.verb, chosen.work, "; --dry-run shows what is needed");
}

}  // namespace
}  // namespace summand::cli

int main(int count, char** arguments) { return summand::cli::main(count, arguments); }
