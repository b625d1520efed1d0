// summand VERB …: parses, runs the verb, and turns every failure into one line on stderr and an exit code:
// 0 done, 1 failed, 2 wrong usage, 130 interrupted.
#include <fmt/format.h>

#include "commit_name.h"
#include "nearest_name.h"
#include "program.h"
#include "summand/device.h"
#include "verb_text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "";  // its version begins with its name
#else
constexpr const char* kCompiler = "GCC ";
#endif

constexpr const char* kFooter =
    "Example:\n"
    "  summand build --spec LOCQ8 base.fvecs -o index.smd\n"
    "  summand search index.smd queries.fvecs -k 10 -o result.ivecs\n\n"
    "Vectors are read from .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy, .npz\n"
    "(FILE:ARRAY), .hdf5 (FILE:DATASET), .csv and .tsv (also .gz) and MNIST idx files.\n"
    "FORMAT:FILE names the format of a file without such an extension, and FORMAT:- is\n"
    "standard input, as in fvecs:-. Ids and vectors are written to standard output in\n"
    "the same way.";

std::string version_text() {
    const std::string commit = kCommitName;
    return fmt::format("summand {}\ncommit    {}\ncompiler  {}{}\nBLAS      {}\nkernels   {}", version(),
                       commit.empty() ? "unknown" : commit, kCompiler, __VERSION__, blas_library(), kernel_level());
}

void add_verbs(CLI::App& app, Chosen& chosen) {
    add_train(app, chosen);
    add_encode(app, chosen);
    add_build(app, chosen);
    add_create(app, chosen);
    add_add(app, chosen);
    add_update(app, chosen);
    add_remove(app, chosen);
    add_compact(app, chosen);
    add_search(app, chosen);
    add_evaluate(app, chosen);
    add_tune(app, chosen);
    add_aggregate(app, chosen);
    add_exact(app, chosen);
    add_info(app, chosen);
    add_merge(app, chosen);
    add_split(app, chosen);
    add_retrain(app, chosen);
    add_health(app, chosen);
    add_verify(app, chosen);
    add_repair(app, chosen);
    add_convert(app, chosen);
    add_page(app, chosen);
    add_methods(app, chosen);
    add_help(app, chosen);
    add_documentation(app, chosen);
    name_files(app);
}

bool is_option(const std::string& argument) { return argument.starts_with('-'); }

// What is wrong where no verb was recognised.
std::string about_first(const CLI::App& app, const std::string& argument) {
    if (argument.empty()) return "expected a verb";
    return fmt::format("unknown {} '{}'{}", is_option(argument) ? "option" : "verb", argument,
                       did_you_mean(argument, is_option(argument) ? option_names(app) : verb_names(app)));
}

// What a verb does not take, in the order it was given.
std::string about_extras(const CLI::App& verb) {
    const std::vector<std::string> extras = verb.remaining();
    if (!is_option(extras.front())) return fmt::format("unexpected argument '{}'", extras.front());
    const std::string name = extras.front().substr(0, extras.front().find('='));
    return fmt::format("unknown option '{}'{}", name, did_you_mean(name, option_names(verb)));
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first_argument) {
    const auto verbs = app.get_subcommands();
    if (verbs.empty()) {
        complain("summand", about_first(app, first_argument) + " (see 'summand --help')");
        return kWrongUsage;
    }
    const CLI::App* verb = verbs.front();
    std::string path = verb->get_name();
    for (auto below = verb->get_subcommands(); !below.empty(); below = verb->get_subcommands()) {
        verb = below.front();
        path += " " + verb->get_name();
    }
    const std::string what = verb->remaining().empty() ? error.what() : about_extras(*verb);
    complain("summand " + verbs.front()->get_name(), fmt::format("{} (see 'summand {} --help')", what, path));
    return kWrongUsage;
}

int parse_and_work(int count, char** arguments) {
    prepare_signals("summand");
    CLI::App app("Compact codes and nearest-neighbour search.", "summand");
    app.set_version_flag("--version", version_text, "Print version, commit, compiler, BLAS and kernels, then stop");
    app.require_subcommand(1);
    app.footer(kFooter);
    Chosen chosen;
    add_verbs(app, chosen);
    const std::string first = count > 1 ? arguments[1] : "";
    try {
        // The parser would answer --help even after an unknown verb.
        if (!first.empty() && !is_option(first) && find_verb(app, first) == nullptr)
            throw CLI::ParseError("no verb", kWrongUsage);
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : wrong_usage(app, error, first);
    }
    return run_work("summand " + chosen.verb, chosen.work, "; --dry-run shows what is needed");
}

int main(int count, char** arguments) {
    return guarded("summand", [=] { return parse_and_work(count, arguments); });
}

}  // namespace
}  // namespace summand::cli

int main(int count, char** arguments) { return summand::cli::main(count, arguments); }
