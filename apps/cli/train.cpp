// summand train: vectors in, a model out.
#include <fmt/format.h>

#include <memory>

#include "estimate.h"
#include "run.h"
#include "text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string learn, output;
    LearnOptions learning;
    RunOptions run;
};

void run_train(Options options) {
    Run run(options.run);
    if (options.learning.spec.empty()) options.learning.spec = default_spec(options.learning.metric);
    check_learning(options.learning);
    const VectorReader learn(options.learn);
    if (options.run.dry_run) return show(estimate_train(learn, options.learning), run);
    check_outputs({options.learn}, {{options.output}, {options.learning.checkpoint}, {options.run.json}});
    const Learned<Quantizer> learned = learn_from_file(learn, options.learning, options.run.seed, run);
    {
        const SaveGuard guard;
        save(options.output, learned.model);
    }
    const TrainingSummary& training = learned.model.training;
    run.print(fmt::format("{}: {} learnt from {} vectors of {} dimensions in {}, distortion {:.6g}", options.output,
                          options.learning.spec, grouped(training.vectors), learned.model.dimensions(),
                          duration(learned.seconds), training.distortion));
    run.write_json({{"spec", options.learning.spec},
                    {"vectors", training.vectors},
                    {"dimensions", learned.model.dimensions()},
                    {"code_bytes", learned.model.code_bytes()},
                    {"distortion", training.distortion},
                    {"held_out_distortion", held_out(training)},
                    {"objective", training.objective},
                    {"train_seconds", learned.seconds}});
}

}  // namespace

void add_train(CLI::App& app, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App& verb =
        add_verb(app, chosen, "train", "Learn a model from vectors",
                 "summand train --spec LOCQ8 learn.fvecs -o model.smd", [options] { run_train(*options); });
    verb.add_option("LEARN", options->learn, "Vectors to learn from")->required();
    add_output(verb, options->output, "Model to write", options->run);
    add_spec(verb, options->learning.spec);
    add_learn_size(verb, options->learning.learn_size);
    add_checkpoint(verb, options->learning.checkpoint, "the training in after every iteration (composite methods)");
    add_metric(verb, options->learning.metric);
    add_threads(verb, options->run);
    add_seed(verb, options->run);
    add_json(verb, options->run);
    add_dry_run(verb, options->run);
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
