// summand build --spec IVF1024,LOCQ8: cells and codes are learnt from a sample, then the base is read, assigned and
// encoded chunk by chunk. Memory holds codes, ids and cells, never the base.
#include <fmt/format.h>

#include "build.h"
#include "text.h"

namespace summand::cli {
namespace {

void summarize(const BuildOptions& options, const InvertedIndex& index, const BuildTimings& timings, const Run& run) {
    const Quantizer& quantizer = index.model().quantizer;
    run.print(
        fmt::format("{}: {} vectors of {} dimensions in {} bytes each and {} cells ({}), trained in {}, encoded in {}",
                    options.output, grouped(index.size()), quantizer.dimensions(), quantizer.code_bytes(),
                    grouped(index.model().partition.cells()), bytes_text(static_cast<double>(index.memory_bytes())),
                    duration(timings.train), duration(timings.encode)));
    run.write_json({{"spec", options.learning.spec},
                    {"vectors", index.size()},
                    {"dimensions", quantizer.dimensions()},
                    {"cells", index.model().partition.cells()},
                    {"code_bytes", quantizer.code_bytes()},
                    {"memory_bytes", index.memory_bytes()},
                    {"cell_table_bytes", index.cell_table_bytes()},
                    {"learn_vectors", quantizer.training.vectors},
                    {"distortion", quantizer.training.distortion},
                    {"train_seconds", timings.train},
                    {"encode_seconds", timings.encode}});
}

InvertedIndex encode_lists(InvertedModel model, const VectorReader& base, std::uint64_t seed, Run& run) {
    InvertedBuilder builder(std::move(model), {.seed = seed});
    for_each_chunk(base, run, [&](const Matrix<float>& part, const Execution& execution) {
        const std::size_t first = builder.size();
        if (builder.model().metric == Metric::cosine)
            require_directions(part.view(), base.path(), [&](std::size_t i) { return first + i; });
        builder.set_execution(execution);
        builder.add(part.view());
    });
    return std::move(builder).finish();
}

}  // namespace

void build_inverted(const BuildOptions& options, const VectorReader& base, Run& run) {
    Learned<InvertedModel> learned = with_learn_file(options, base, [&](const VectorReader& learn) {
        return learn_inverted(learn, options.learning, options.run.seed, run);
    });
    const Stopwatch watch;
    const InvertedIndex index = encode_lists(std::move(learned.model), base, options.run.seed, run);
    {
        const SaveGuard guard;
        save(options.output, index);
    }
    summarize(options, index, {learned.seconds, watch.seconds()}, run);
}

}  // namespace summand::cli
