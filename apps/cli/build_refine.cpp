// summand build --spec PQ8,Refine(LOCQ8): the base is read a second time, and what the codes leave of it is learnt and
// encoded. With Refine(flat) the index keeps the path of the base.
#include <filesystem>
#include <numeric>

#include "build.h"
#include "training_cost.h"

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

// A relative path is kept relative to the index, so that both can be moved together. `base` may name a format before
// the file and an array behind it.
std::string path_from_index(std::string base, const std::string& index) {
    const std::string file = vector_file(base);
    if (fs::path(file).is_absolute()) return base;
    const fs::path folder = fs::path(index).parent_path();
    const fs::path relative = fs::relative(file, folder.empty() ? fs::path(".") : folder);
    return base.replace(base.find(file), file.size(), relative.string());
}

Learned<Quantizer> learn_second(const BuildOptions& options, const Spec& spec, const VectorReader& base, Run& run,
                                const Residuals& residuals) {
    LearnOptions learning = options.learning;
    learning.spec = to_string(spec);
    const std::size_t count = learn_vectors(learning, base);
    const Matrix<float> sample = sample_vectors(base, count, options.run.seed);
    const std::vector<std::size_t> rows = sample_rows(base.rows(), count, options.run.seed);
    const Matrix<float> left = residuals(sample.view(), std::vector<std::int64_t>(rows.begin(), rows.end()));
    const Metric metric = learning.metric == Metric::cosine ? Metric::euclidean : learning.metric;
    const Stopwatch watch;
    Quantizer model = about_file(base.path(), [&] {
        return train(left.view(), spec,
                     {.metric = metric, .residuals = true, .seed = options.run.seed, .execution = run.execution()});
    });
    return {std::move(model), watch.seconds()};
}

}  // namespace

void add_refinement(const BuildOptions& options, const RefineSpec& spec, const VectorReader& base, Run& run,
                    Built& built) {
    if (!spec.code) {
        const fs::path folder = fs::path(options.output).parent_path();
        built.index.set_refinement(refine_file(path_from_index(options.base, options.output), folder.string()));
        return;
    }
    const Residuals residuals(built.index);
    Learned<Quantizer> second = learn_second(options, *spec.code, base, run, residuals);
    built.train_seconds += second.seconds;
    const Stopwatch watch;
    const auto left_of = [&](const Matrix<float>& chunk, std::size_t first) {
        std::vector<std::int64_t> ids(chunk.rows());
        std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(first));
        return residuals(chunk.view(), ids, run.silent_execution());
    };
    Codes codes = encode_file(second.model, base, options.run.seed, run, left_of);
    built.index.set_refinement(refine_codes(std::move(second.model), std::move(codes)));
    built.encode_seconds += watch.seconds();
}

}  // namespace summand::cli
