// summand build --spec IVF1024,LOCQ8: cells and codes are learnt from a sample, then the base is read, assigned and
// encoded chunk by chunk. Memory holds codes, ids and cells, never the base. With --checkpoint every chunk is kept in a
// file as well, and a build that was killed goes on after the last one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "build.h"
#include "hash.h"
#include "text.h"
#include "training_cost.h"

namespace summand::cli {
namespace {

struct Started {
    InvertedBuilder builder;
    double train_seconds = 0;
};

bool trains_with_checkpoints(const Spec& spec) {
    const std::vector<MethodInfo> known = methods();
    return std::any_of(known.begin(), known.end(),
                       [&](const MethodInfo& method) { return method.name == spec.method && method.resumable; });
}

// Sizes and a hash of a few rows tell files apart at little cost.
std::string content_of(const VectorReader& reader) {
    constexpr std::size_t kSampled = 64;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < kSampled; ++i) {
        const Matrix<float> row = reader.read(i * (reader.rows() - 1) / (kSampled - 1), 1);
        hash = hash_of(std::as_bytes(std::span(row.values())), hash);
    }
    return fmt::format("{} vectors of {} dimensions with hash {:016x}", reader.rows(), reader.columns(), hash);
}

BuildTask task_of(const BuildOptions& options, const VectorReader& base, const VectorReader& learn) {
    const LearnOptions& learning = options.learning;
    return {{"--spec", to_string(parse_index_spec(learning.spec))},
            {"--metric", std::string(name(learning.metric))},
            {"--seed", std::to_string(options.run.seed)},
            {"--learn", content_of(learn)},
            {"--learn-size", std::to_string(learn_vectors(learning, learn))},
            {"BASE", content_of(base)}};
}

Started learn_and_begin(const BuildOptions& options, const VectorReader& learn, Run& run) {
    Learned<InvertedModel> learned = learn_inverted(learn, training_options(options), options.run.seed, run);
    return {InvertedBuilder(std::move(learned.model), {.seed = options.run.seed}), learned.seconds};
}

// Goes on from the checkpoint where that has a model already.
Started start(const BuildOptions& options, const VectorReader& base, const VectorReader& learn, Run& run) {
    const std::string& file = options.learning.checkpoint;
    if (file.empty()) return learn_and_begin(options, learn, run);
    const BuildTask task = task_of(options, base, learn);
    if (holds_unfinished_index(file)) {
        Started started{resume_index(file, task, {.seed = options.run.seed})};
        run.print(fmt::format("{}: {} of {} vectors were encoded before", file, grouped(started.builder.size()),
                              grouped(base.rows())));
        return started;
    }
    require(!std::filesystem::exists(file) || !training_options(options).checkpoint.empty(), file,
            ": expected a file of an unfinished build of ", to_string(parse_index_spec(options.learning.spec)),
            ", got another one");
    Started started = learn_and_begin(options, learn, run);
    const SaveGuard guard;
    begin_index(file, task, started.builder.model());
    return started;
}

InvertedIndex encode_lists(InvertedBuilder builder, const BuildOptions& options, const VectorReader& base, Run& run) {
    const auto take = [&](const Matrix<float>& part, const Execution& execution) {
        const std::size_t first = builder.size();
        if (builder.model().metric == Metric::cosine)
            require_directions(part.view(), base.path(), [&](std::size_t i) { return first + i; });
        builder.set_execution(execution);
        const CellCodes chunk = builder.encode(part.view());
        if (!options.learning.checkpoint.empty()) {
            const SaveGuard guard;
            append_chunk(options.learning.checkpoint, chunk, builder);
        }
        builder.add(chunk);
    };
    for_each_chunk(base, run, take, builder.size());
    return std::move(builder).finish();
}

}  // namespace

LearnOptions training_options(const BuildOptions& options) {
    LearnOptions learning = options.learning;
    const IndexSpec spec = parse_index_spec(learning.spec);
    if (spec.cells && !trains_with_checkpoints(spec.code)) learning.checkpoint.clear();
    return learning;
}

Built build_inverted(const BuildOptions& options, const VectorReader& base, Run& run) {
    Started started =
        with_learn_file(options, base, [&](const VectorReader& learn) { return start(options, base, learn, run); });
    const Stopwatch watch;
    Index index(encode_lists(std::move(started.builder), options, base, run));
    return {std::move(index), started.train_seconds, watch.seconds()};
}

void remove_checkpoint(const BuildOptions& options) {
    std::error_code left_behind;  // the index is complete all the same
    if (!options.learning.checkpoint.empty()) std::filesystem::remove(options.learning.checkpoint, left_behind);
}

}  // namespace summand::cli
