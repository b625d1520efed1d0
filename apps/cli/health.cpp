// summand health: how an index in a folder does on its own data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run.h"
#include "summand/describe.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string folder;
    RunOptions run;
};

// A bar for each segment: its distortion against that of training.
void print_trend(const Health& health, const Run& run) {
    constexpr double kWidth = 20;
    for (const auto& segment : health.segments) {
        if (segment.sampled == 0 || health.training_distortion <= 0) continue;
        const double ratio = segment.distortion / health.training_distortion;
        const auto length = static_cast<std::size_t>(std::min(3 * kWidth, ratio * kWidth));
        run.print(fmt::format("  segment {:<8} {:>14} vectors  {:>6.2f}  {}", segment.number, grouped(segment.vectors),
                              ratio, std::string(length, '#')));
    }
}

void run_health(const Options& options) {
    Run run(options.run);
    check_outputs({}, {{options.run.json}});
    const Health health = LivingIndex::open(options.folder).health(run.execution());
    run.display().erase();
    if (std::isfinite(health.recall))
        run.print(fmt::format("{}: recall@10 {:.3f} of {} queries among {} vectors kept as they came", options.folder,
                              health.recall, health.queries, grouped(health.sampled)));
    else
        run.print(fmt::format("{}: {} vectors are too few to tell", options.folder, grouped(health.sampled)));
    run.print("distortion of segments, as a multiple of that of training:");
    print_trend(health, run);
    run.print(health.retrain ? health.advice : "nothing speaks for a new model");
    run.write_json(nlohmann::ordered_json::parse(describe(health)));
}

}  // namespace

void add_health(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "health",
                                    "Judge an index in a folder by vectors that it keeps, and say when to train anew",
                                    "summand health photos --json -", run_health);
    verb.add_option("DIR", options->folder, "Folder of the index")->required()->type_name("FOLDER");
    add_run(verb, options->run);
}

}  // namespace summand::cli
