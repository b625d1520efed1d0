// summand train: vectors in, a model out.
#include <fmt/format.h>

#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string learn, output;
    LearnOptions learning;
    RunOptions run;
};

void run_train(const Options& options) {
    Run run(options.run);
    BuildSettings settings = build_settings(options.learning, options.run, run);
    BuildReport report;
    settings.report = &report;
    check_build(options.learning.spec, settings);
    const VectorSource learn = VectorSource::file(options.learn);
    if (options.run.dry_run) return show(estimate_train(learn, options.learning.spec, settings), run);
    check_outputs({options.learn}, {{options.output}, {options.learning.checkpoint}, {options.run.json}});
    const IndexModel model = train_index(learn, options.learning.spec, settings);
    uninterrupted([&] { save(options.output, model); });
    const TrainingSummary& training = model.quantizer().training;
    run.print(fmt::format("{}: {} learnt from {} vectors of {} dimensions in {}, distortion {:.6g}", options.output,
                          report.spec, grouped(training.vectors), model.dimensions(), duration(report.train_seconds),
                          training.distortion));
    for (const std::string& warning : report.warnings) run.print("warning " + warning);
    nlohmann::ordered_json summary{{"spec", report.spec},
                                   {"vectors", training.vectors},
                                   {"dimensions", model.dimensions()},
                                   {"code_bytes", model.quantizer().code_bytes()},
                                   {"distortion", training.distortion},
                                   {"held_out_distortion", held_out(training)},
                                   {"objective", training.objective},
                                   {"train_seconds", report.train_seconds}};
    if (!report.warnings.empty()) summary["warnings"] = report.warnings;
    if (model.cells()) summary["cells"] = model.cells()->cells();
    run.write_json(summary);
}

}  // namespace

void add_train(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "train", "Learn a model from vectors",
                                    "summand train --spec LOCQ8 learn.fvecs -o model.smd\n"
                                    "  summand train --spec IVF1024,LOCQ8 learn.fvecs -o cells.smd",
                                    run_train);
    verb.add_option("LEARN", options->learn, "Vectors to learn from")->required();
    add_output(verb, options->output, "Model to write", options->run);
    add_spec(verb, options->learning.spec, usual_codes());
    add_learn_size(verb, options->learning.learn_size);
    add_checkpoint(verb, options->learning.checkpoint, "the training in after every iteration (composite methods)");
    add_metric(verb, options->learning.metric);
    add_learning_run(verb, options->run);
}

}  // namespace summand::cli
