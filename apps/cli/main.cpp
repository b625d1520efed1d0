// summand VERB …: parses, runs the verb, and turns every failure into one line on stderr and an exit code:
// 0 done, 1 failed, 2 wrong usage, 130 interrupted.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

#include "interrupt.h"
#include "summand/device.h"
#include "summand/error.h"
#include "verbs.h"

namespace summand::cli {
namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kInterrupted = 130 };

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

// "summand search: …": a message that already begins with the verb is not given it twice.
void complain(const std::string& verb, const std::string& message) {
    const bool named = !verb.empty() && message.starts_with(verb + ": ");
    const std::string prefix =
        named || verb.empty() ? "summand" + std::string(named ? " " : ": ") : "summand " + verb + ": ";
    fmt::print(stderr, "{}{}\n", prefix, one_line(message));
}

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
    add_demo(app, chosen);
    add_paper(app, chosen);
}

// What is wrong where no verb was recognised.
std::string about_first(const std::string& argument) {
    if (argument.empty()) return "expected a verb";
    return fmt::format("unknown {} '{}'", argument.starts_with('-') ? "option" : "verb", argument);
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first_argument) {
    const auto verbs = app.get_subcommands();
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name();
    complain(verb, fmt::format("{} (see 'summand {}--help')", verb.empty() ? about_first(first_argument) : error.what(),
                               verb.empty() ? "" : verb + " "));
    return kWrongUsage;
}

int run(const Chosen& chosen) {
    try {
        chosen.work();
        std::cout.flush();
        if (std::fflush(stdout) != 0 || !std::cout) throw Error("cannot write to standard output");
        return kDone;
    } catch (const Cancelled&) {
        claim_end();
        complain(chosen.verb, std::string(interrupt_message()));
        return kInterrupted;
    } catch (const std::bad_alloc&) {
        complain(chosen.verb, "out of memory; --dry-run shows what is needed");
    } catch (const std::exception& error) {
        complain(chosen.verb, error.what());
    }
    return kFailed;
}

int main(int count, char** arguments) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then reported like a full disk
    watch_for_interrupts();
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
    return run(chosen);
}

}  // namespace
}  // namespace summand::cli

int main(int count, char** arguments) { return summand::cli::main(count, arguments); }
