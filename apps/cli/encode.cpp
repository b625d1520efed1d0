// summand encode: vectors and a model in, codes out.
#include <fmt/format.h>

#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string model, base, output;
    bool queries = false;
    RunOptions run;
};

Quantizer model_of(const Options& options) {
    Quantizer model = load_quantizer(options.model);
    return options.queries ? about(options.model, [&] { return for_queries(std::move(model)); }) : model;
}

void run_encode(const Options& options) {
    Run run(options.run);
    const Quantizer model = model_of(options);
    const VectorReader reader(options.base);
    require_dimensions(reader, model.dimensions(), options.model);
    const VectorSource base(reader);
    if (options.run.dry_run) return show(estimate_encode(base, model, run.execution()), run);
    check_outputs({options.model, options.base}, {{options.output}, {options.run.json}});
    const Stopwatch watch;
    const Codes codes = encode_all(Encoder(model, {.seed = options.run.seed, .execution = run.silent_execution()}),
                                   base, run.execution());
    const double seconds = watch.seconds();
    uninterrupted([&] { save(options.output, codes, model); });
    run.print(fmt::format("{}: {} vectors in {} bytes each, encoded in {}", options.output, grouped(codes.size()),
                          model.code_bytes(), duration(seconds)));
    run.write_json({{"vectors", codes.size()}, {"code_bytes", model.code_bytes()}, {"encode_seconds", seconds}});
}

}  // namespace

void add_encode(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "encode", "Turn vectors into codes",
                                    "summand encode model.smd base.fvecs -o codes.smd\n"
                                    "  summand encode --queries query_model.smd queries.fvecs -o queries.smd",
                                    run_encode);
    verb.add_option("MODEL", options->model, "Model made by 'summand train'")->required();
    verb.add_option("BASE", options->base, "Vectors to encode, read in chunks")->required();
    verb.add_flag(
        "--queries", options->queries,
        "The vectors are queries, to be sent as codes: for the smallest error, whatever the model was made for");
    add_output(verb, options->output, "Codes to write", options->run);
    add_learning_run(verb, options->run);
}

}  // namespace summand::cli
