// Additive quantization: least-squares dictionaries and beam search by turns.
#include <utility>

#include "base/stopwatch.h"
#include "math/clusters.h"
#include "model/beam_encoder.h"
#include "model/bias.h"
#include "model/composite_input.h"
#include "model/word_sum.h"
#include "summand/compared_methods.h"
#include "summand/error.h"
#include "train/additive.h"
#include "train/blocks.h"
#include "train/least_squares.h"
#include "train/prepare.h"

namespace summand {
namespace {

constexpr std::size_t kTrainingWidth = 8;  // of the beam
constexpr int kStartIterations = 10;       // of k-means, for each dictionary of the start
constexpr double kRidge = 1;               // a word's old value counts as so many vectors
constexpr int kLevelIterations = 25;       // of k-means, for the levels of the norm

// One more dictionary of zero words, whose offsets are levels of |ȳ|²; the offsets of the words become zero.
void append_norms(const Matrix<std::uint8_t>& codes, const AqOptions& options, Quantizer& model) {
    model.word_offsets.assign(model.dictionaries.rows.rows(), 0.0f);
    const std::vector<float> norms = biases(model, codes, options.execution);
    const KMeans levels = kmeans({norms.data(), norms.size(), 1},
                                 {.clusters = options.words,
                                  .iterations = kLevelIterations,
                                  .seed = options.seed,
                                  .execution = {.threads = options.execution.threads, .stop = options.execution.stop}});
    Dictionaries& words = model.dictionaries;
    std::vector<float> rows = words.rows.values();
    rows.resize(rows.size() + words.words * words.dimensions());
    ++words.count;
    words.rows = {words.count * words.words, model.dimensions(), std::move(rows)};
    for (std::size_t k = 0; k < options.words; ++k) model.word_offsets.push_back(levels.centres[k][0]);
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const AqOptions& options) {
    const Execution& execution = options.execution;
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
    require(!options.norm_byte || options.dictionaries < kMaxDictionaries,
            "train: the norm byte of AQ is one more dictionary; expected at most ", kMaxDictionaries - 1, ", got ",
            options.dictionaries);
    Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, execution);
    const CompositeInput input = composite_input(std::move(data.vectors));
    AdditiveState state = residual_dictionaries(
        input.vectors.view(), {options.dictionaries, options.words, kStartIterations, options.seed, "RQ"}, execution);
    state.objective.clear();
    const Stopwatch watch;
    for (int step = 0; step < options.iterations; ++step) {
        solve_dictionaries({input.view(), state.codes}, kRidge, execution, state.dictionaries);
        BeamEncoder(state.dictionaries, CodeSearch::beam, execution)
            .improve(input.vectors.view(), kTrainingWidth, execution, state.codes);
        state.objective.push_back(mean_squared_error(state.dictionaries, input.vectors.view(), state.codes, execution));
        report_step(execution, "AQ", step + 1, options.iterations, state.objective.back(), watch);
    }
    Quantizer model{.method = options.norm_byte ? "AQe" : "AQ",
                    .unit_length = options.unit_length,
                    .bias = options.norm_byte ? Bias::none : Bias::derived,
                    .centre = data.centre};
    model.word_offsets = squared_word_norms(state.dictionaries);
    model.encoder = {.effort = options.effort, .search = CodeSearch::beam};
    model.training = {
        .vectors = vectors.rows(), .distortion = state.objective.back(), .objective = std::move(state.objective)};
    model.dictionaries = std::move(state.dictionaries);
    if (options.norm_byte) append_norms(state.codes, options, model);
    return model;
}

}  // namespace summand
