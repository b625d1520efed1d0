// summand build --spec IVF1024,LOCQ8: cells and codes are learnt from a sample, then the base is read, assigned and
// encoded chunk by chunk. Memory holds codes, ids and cells, never the base.
#include "build.h"

namespace summand::cli {
namespace {

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

Built build_inverted(const BuildOptions& options, const VectorReader& base, Run& run) {
    Learned<InvertedModel> learned = with_learn_file(options, base, [&](const VectorReader& learn) {
        return learn_inverted(learn, options.learning, options.run.seed, run);
    });
    const Stopwatch watch;
    AnyIndex index(encode_lists(std::move(learned.model), base, options.run.seed, run));
    return {std::move(index), learned.seconds, watch.seconds()};
}

}  // namespace summand::cli
