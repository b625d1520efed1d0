// summand build: vectors in, an index out. Learns and encodes on the way, or takes a model and codes made before.
#include <fmt/format.h>

#include <memory>

#include "build.h"
#include "estimate.h"
#include "propose.h"
#include "run.h"
#include "text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

Learned<Quantizer> model_of(const BuildOptions& options, const VectorReader& base, Run& run) {
    if (!options.model.empty()) return {load_quantizer(options.model), 0};
    LearnOptions learning = options.learning;
    learning.spec = to_string(parse_index_spec(learning.spec).code);
    return with_learn_file(options, base, [&](const VectorReader& learn) {
        return learn_from_file(learn, learning, options.run.seed, run);
    });
}

// A model of unit vectors fits cosine only, and cosine no other model.
void require_metric(const Quantizer& model, const BuildOptions& options) {
    const bool cosine = options.learning.metric == Metric::cosine;
    require(options.model.empty() || model.unit_length == cosine, options.model,
            ": expected a model trained with --metric ", cosine ? "cosine" : name(options.learning.metric),
            ", got one trained ", cosine ? "without it" : "for cosine");
}

Codes codes_of(const BuildOptions& options, const Quantizer& model, const VectorReader& base, Run& run) {
    if (options.codes.empty()) return encode_file(model, base, options.run.seed, run);
    Codes codes = load_codes(options.codes);
    require(codes.model == identity(model), options.codes, ": codes were made by another model than ", options.model);
    require(codes.size() == base.rows(), options.codes, ": expected codes of the ", base.rows(), " vectors of ",
            base.path(), ", got ", codes.size());
    return codes;
}

std::string shape_text(const AnyIndex& index) {
    std::string text = fmt::format("{} vectors of {} dimensions in {} bytes each", grouped(index.size()),
                                   index.dimensions(), index.code_bytes());
    if (index.inverted()) text += fmt::format(" and {} cells", grouped(index.inverted()->model().partition.cells()));
    return text;
}

void summarize(const BuildOptions& options, const Built& built, const Run& run) {
    const AnyIndex& index = built.index;
    const TrainingSummary& training = index.quantizer().training;
    run.print(fmt::format("{}: {} ({}), trained in {}, encoded in {}", options.output, shape_text(index),
                          bytes_text(static_cast<double>(index.memory_bytes())), duration(built.train_seconds),
                          duration(built.encode_seconds)));
    nlohmann::ordered_json summary{{"spec", options.model.empty() ? options.learning.spec : index.quantizer().method},
                                   {"vectors", index.size()},
                                   {"dimensions", index.dimensions()},
                                   {"code_bytes", index.code_bytes()},
                                   {"memory_bytes", index.memory_bytes()},
                                   {"learn_vectors", training.vectors},
                                   {"distortion", training.distortion},
                                   {"train_seconds", built.train_seconds},
                                   {"encode_seconds", built.encode_seconds}};
    if (const InvertedIndex* inverted = index.inverted()) {
        summary["cells"] = inverted->model().partition.cells();
        summary["cell_table_bytes"] = inverted->cell_table_bytes();
    }
    run.write_json(summary);
}

Estimate estimate_of(const BuildOptions& options, const VectorReader& base) {
    if (!options.model.empty()) return estimate_encode(base, load_quantizer(options.model));
    return estimate_build(base, VectorReader(options.learn.empty() ? options.base : options.learn), options.learning);
}

// The spec that fits --memory, with its reasons told.
std::string proposed_spec(const BuildOptions& options, const VectorReader& base, const Run& run) {
    const Proposal proposal = propose(base, options.learning.metric, parse_bytes(options.memory));
    for (const std::string& reason : proposal.reasons) run.print(reason);
    return proposal.spec;
}

std::string memory_error(const std::string& text) {
    if (parse_bytes(text) > 0) return {};
    return fmt::format("expected a size such as 2G, 512MB or 300000, got '{}'", text);
}

Built build_flat(const BuildOptions& options, const VectorReader& base, Run& run) {
    Learned<Quantizer> learned = model_of(options, base, run);
    require_metric(learned.model, options);
    require_dimensions(base, learned.model.dimensions(), options.model.empty() ? options.learn : options.model);
    const Stopwatch watch;
    const Codes codes = codes_of(options, learned.model, base, run);
    const double seconds = watch.seconds();
    return {AnyIndex(FlatIndex(std::move(learned.model), codes, options.learning.metric)), learned.seconds, seconds};
}

void run_build(BuildOptions options) {
    Run run(options.run);
    const VectorReader base(options.base);
    if (options.learning.spec.empty()) options.learning.spec = default_spec(options.learning.metric);
    if (!options.memory.empty()) options.learning.spec = proposed_spec(options, base, run);
    if (options.model.empty()) check_learning(training_options(options));
    if (options.run.dry_run) return show(estimate_of(options, base), run);
    check_outputs({options.base, options.learn, options.model, options.codes},
                  {{options.output}, {options.learning.checkpoint}, {options.run.json}});
    const IndexSpec spec = options.model.empty() ? parse_index_spec(options.learning.spec) : IndexSpec();
    require(!spec.refine || spec.refine->code || vector_file(options.base) != "-", options.base,
            ": Refine(flat) reads the vectors again at every search: expected a file, got standard input");
    Built built = spec.cells ? build_inverted(options, base, run) : build_flat(options, base, run);
    if (spec.refine) add_refinement(options, *spec.refine, base, run, built);
    {
        const SaveGuard guard;
        save(options.output, built.index);
        if (spec.cells) remove_checkpoint(options);
    }
    summarize(options, built, run);
}

}  // namespace

void add_build(CLI::App& app, Chosen& chosen) {
    auto options = std::make_shared<BuildOptions>();
    CLI::App& verb = add_verb(app, chosen, "build", "Make an index of vectors: learn, encode and pack",
                              "summand build --spec LOCQ8 base.fvecs -o index.smd\n"
                              "  summand build --spec IVF1024,LOCQ8 base.fvecs -o inverted.smd\n"
                              "  summand build --spec 'PQ8,Refine(LOCQ8)' base.fvecs -o refined.smd\n"
                              "  summand build --memory 2G base.fvecs -o fitting.smd",
                              [options] { run_build(*options); });
    verb.add_option("BASE", options->base, "Vectors to index, read in chunks")->required();
    add_output(verb, options->output, "Index to write", options->run);
    add_spec(verb, options->learning.spec);
    verb.add_option("-l,--learn", options->learn, "Vectors to learn from, instead of the base");
    add_learn_size(verb, options->learning.learn_size);
    add_checkpoint(
        verb, options->learning.checkpoint,
        "the training in after every iteration (composite methods), then an inverted index after every chunk");
    CLI::Option* model = verb.add_option("--model", options->model, "Model to use, instead of learning one");
    verb.add_option("--memory", options->memory, "Choose cells, method and bytes so that the index fits: 2G, 512MB")
        ->check(CLI::Validator(memory_error, ""))
        ->excludes(verb.get_option("--spec"))
        ->type_name("SIZE");
    for (const char* learning : {"--spec", "--memory", "--learn", "--learn-size", "--checkpoint"})
        model->excludes(verb.get_option(learning));
    verb.add_option("--codes", options->codes, "Codes of BASE made by that model, instead of encoding")->needs(model);
    add_metric(verb, options->learning.metric);
    add_threads(verb, options->run);
    add_seed(verb, options->run);
    add_json(verb, options->run);
    add_dry_run(verb, options->run);
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
