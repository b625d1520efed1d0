// summand verify: whether a file or folder is sound.
#include <fmt/format.h>

#include <filesystem>

#include "run.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string path;
    RunOptions run;
};

void run_verify(const Options& options) {
    Run run(options.run);
    check_outputs({options.path}, {{options.run.json}});
    require(std::filesystem::exists(vector_file(options.path)), options.path, ": cannot be found");
    const std::vector<std::string> problems = verify(options.path);
    run.write_json({{"path", options.path}, {"sound", problems.empty()}, {"problems", problems}});
    for (std::size_t i = 1; i < problems.size(); ++i) run.print(problems[i]);
    if (!problems.empty()) throw Error(problems.front());
    run.print(options.path + ": sound");
}

}  // namespace

void add_verify(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "verify", "Read all of a file or folder and say whether it is sound",
                                    "summand verify photos", run_verify);
    verb.add_option("PATH", options->path,
                    "Index, folder of an index, model, codes, checkpoint or vectors; exits with 1 "
                    "where it is damaged")
        ->required();
    add_run(verb, options->run);
}

}  // namespace summand::cli
