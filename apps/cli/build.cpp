// summand build: vectors in, an index out. Learns and encodes on the way, or takes a model and codes made before.
#include <fmt/format.h>

#include <filesystem>

#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string base, learn, model, codes, output, memory, target = "recall@10=0.95";
    LearnOptions learning;
    RunOptions run;
};

std::string memory_error(const std::string& text) {
    if (parse_bytes(text) > 0) return {};
    return fmt::format("expected a size such as 2G, 512MB or 300000, got '{}'", text);
}

std::string target_error(const std::string& text) {
    try {
        parse_target(text);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

// Says what is built where no spec is given, and why.
void print_choice(const VectorSource& base, const BuildSettings& settings, const Run& run) {
    const Proposal proposal = propose(base, settings.metric.value_or(Metric::euclidean), settings.memory_bytes);
    for (const std::string& reason : proposal.reasons) run.print(reason);
}

std::string shape_text(const Index& index) {
    std::string text = fmt::format("{} vectors of {} dimensions in {} bytes each", grouped(index.size()),
                                   index.dimensions(), index.code_bytes());
    if (index.inverted()) text += fmt::format(" and {} cells", grouped(index.inverted()->model().partition.cells()));
    return text;
}

void summarize(const Options& options, const Index& index, const BuildReport& report, const Run& run) {
    const TrainingSummary& training = index.quantizer().training;
    if (report.resumed_vectors > 0)
        run.print(fmt::format("{}: {} of {} vectors were encoded before", options.learning.checkpoint,
                              grouped(report.resumed_vectors), grouped(index.size())));
    run.print(fmt::format("{}: {} ({}), trained in {}, encoded in {}", options.output, shape_text(index),
                          bytes_text(static_cast<double>(index.memory_bytes())), duration(report.train_seconds),
                          duration(report.encode_seconds)));
    if (report.recall)
        run.print(
            fmt::format("recall  {:.3f} for {}, by vectors of {} that were searched for without themselves; queries of "
                        "your own tell more: summand tune {} QUERIES --base {}",
                        *report.recall, options.target, options.base, options.output, options.base));
    for (const std::string& warning : report.warnings) run.print("warning " + warning);
    nlohmann::ordered_json summary{{"spec", report.spec},
                                   {"vectors", index.size()},
                                   {"dimensions", index.dimensions()},
                                   {"code_bytes", index.code_bytes()},
                                   {"memory_bytes", index.memory_bytes()},
                                   {"learn_vectors", training.vectors},
                                   {"distortion", training.distortion},
                                   {"train_seconds", report.train_seconds},
                                   {"encode_seconds", report.encode_seconds}};
    if (report.recall) summary["recall"] = *report.recall;
    if (!report.warnings.empty()) summary["warnings"] = report.warnings;
    if (const InvertedIndex* inverted = index.inverted()) {
        summary["cells"] = inverted->model().partition.cells();
        summary["cell_table_bytes"] = inverted->cell_table_bytes();
    }
    run.write_json(summary);
}

// An index of codes that were made before.
Index packed(const Options& options, const VectorSource& base, const IndexModel& model) {
    const auto* quantizer = std::get_if<Quantizer>(&model.first);
    require(quantizer != nullptr, options.model, ": has cells, which codes of --codes lack; leave --codes out");
    const Codes codes = load_codes(options.codes);
    require(codes.model == identity(*quantizer), options.codes, ": codes were made by another model than ",
            options.model);
    require(codes.size() == base.rows, options.codes, ": expected codes of the ", base.rows, " vectors of ", base.name,
            ", got ", codes.size());
    return FlatIndex(*quantizer, codes, options.learning.metric.value_or(model.metric().value_or(Metric::euclidean)));
}

Index with_model(const Options& options, const VectorSource& base, const BuildSettings& settings) {
    const IndexModel model = load_index_model(options.model);
    if (!options.codes.empty()) return packed(options, base, model);
    return about(options.model, [&] { return build(base, model, settings); });
}

Estimate estimate_of(const Options& options, const VectorSource& base, const BuildSettings& settings) {
    if (!options.model.empty())
        return estimate_encode(base, load_index_model(options.model).quantizer(), settings.execution);
    return estimate_build(base, options.learning.spec, settings);
}

void run_build(const Options& options) {
    Run run(options.run);
    const VectorSource base = VectorSource::file(options.base);
    BuildSettings settings = build_settings(options.learning, options.run, run);
    BuildReport report;
    settings.report = &report;
    settings.path = options.output;
    std::optional<VectorSource> learn;
    if (!options.learn.empty()) settings.learn = &learn.emplace(VectorSource::file(options.learn));
    settings.memory_bytes = options.memory.empty() ? usual_memory(base) : parse_bytes(options.memory);
    settings.target = parse_target(options.target);
    if (options.model.empty() && options.learning.spec.empty()) print_choice(base, settings, run);
    if (options.model.empty()) check_build(options.learning.spec, settings);
    if (options.run.dry_run) return show(estimate_of(options, base, settings), run);
    check_outputs({options.base, options.learn, options.model, options.codes},
                  {{options.output}, {options.learning.checkpoint}, {options.run.json}});
    const Index index =
        options.model.empty() ? build(base, options.learning.spec, settings) : with_model(options, base, settings);
    uninterrupted([&] {
        index.save(options.output);
        std::error_code left_behind;  // the index is complete all the same
        if (index.inverted() && !options.learning.checkpoint.empty())
            std::filesystem::remove(options.learning.checkpoint, left_behind);
    });
    summarize(options, index, report, run);
}

}  // namespace

void add_build(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "build", "Make an index of vectors: learn, encode and pack",
                                    "summand build base.fvecs -o index.smd\n"
                                    "  summand build --spec LOCQ8 base.fvecs -o small.smd\n"
                                    "  summand build --spec IVF1024,LOCQ8 base.fvecs -o inverted.smd\n"
                                    "  summand build --spec 'PQ8,Refine(LOCQ8)' base.fvecs -o refined.smd\n"
                                    "  summand build --memory 2G base.fvecs -o fitting.smd",
                                    run_build);
    verb.add_option("BASE", options->base, "Vectors to index, read in chunks")->required();
    add_output(verb, options->output, "Index to write", options->run);
    add_spec(verb, options->learning.spec, "cells, codes and vectors that reach --target within --memory");
    verb.add_option("-l,--learn", options->learn, "Vectors to learn from, instead of the base");
    add_learn_size(verb, options->learning.learn_size);
    add_checkpoint(
        verb, options->learning.checkpoint,
        "the training in after every iteration (composite methods), then an inverted index after every chunk");
    CLI::Option* model =
        verb.add_option("--model", options->model,
                        "Model to use, with cells or without, or an index to take it from, instead of learning");
    verb.add_option("--memory", options->memory,
                    "Without --spec: what the index may take when it is searched (2G, 512MB); default: as much as the "
                    "vectors as floats")
        ->check(CLI::Validator(memory_error, ""))
        ->excludes(verb.get_option("--spec"))
        ->type_name("SIZE");
    verb.add_option("--target", options->target,
                    "Without --spec: the recall that searches are tuned for, as in 'summand tune'")
        ->check(CLI::Validator(target_error, ""))
        ->excludes(verb.get_option("--spec"))
        ->type_name("TARGET")
        ->capture_default_str();
    for (const char* learning : {"--spec", "--memory", "--target", "--learn", "--learn-size", "--checkpoint"})
        model->excludes(verb.get_option(learning));
    verb.add_option("--codes", options->codes, "Codes of BASE made by that model, instead of encoding")->needs(model);
    add_metric(verb, options->learning.metric);
    add_learning_run(verb, options->run);
}

}  // namespace summand::cli
