// Optimised tree quantization: every dimension is coded by the two dictionaries of one edge of a tree, after a learnt
// rotation. The best codes can then be found exactly.
#include <utility>

#include "base/stopwatch.h"
#include "math/blas.h"
#include "model/tree_encoder.h"
#include "model/word_sum.h"
#include "summand/compared_methods.h"
#include "summand/encoder.h"
#include "summand/error.h"
#include "summand/train.h"
#include "train/blocks.h"
#include "train/dictionary_tree.h"
#include "train/prepare.h"

namespace summand {
namespace {

constexpr int kStartIterations = 12;  // of OPQ

// Words on the tree, codes and rotation.
struct TreeState {
    Matrix<float> rotation;
    Dictionaries dictionaries;
    Matrix<std::uint8_t> codes;
    std::vector<double> objective = {};
};

TreeState start_of(MatrixView<float> x, const OtqOptions& options) {
    Quantizer opq = train(x, OpqOptions{.dictionaries = options.dictionaries,
                                        .words = options.words,
                                        .iterations = kStartIterations,
                                        .seed = options.seed,
                                        .execution = options.execution});
    Matrix<std::uint8_t> codes =
        encode(opq, x, {.execution = {.threads = options.execution.threads, .stop = options.execution.stop}}).rows;
    Dictionaries words{.count = options.dictionaries,
                       .words = options.words,
                       .rows = Matrix<float>(options.dictionaries * options.words, x.columns())};
    return {std::move(opq.rotation), std::move(words), std::move(codes)};
}

// Words, rotation and codes by turns; none of them raises the error.
void alternate(MatrixView<float> x, const OtqOptions& options, TreeState& state) {
    const Stopwatch watch;
    const Execution& execution = options.execution;
    Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
    const DictionaryTree tree = choose_tree(rotated.view(), state.codes, options.words, execution);
    for (int step = 0; step < options.iterations; ++step) {
        solve_tree(rotated.view(), state.codes, tree, execution, state.dictionaries);
        const Matrix<float> sums = word_sums(state.dictionaries, state.codes, execution);
        state.rotation = nearest_orthogonal(cross_products(sums.view(), x, execution));
        rotated = multiply_transposed(x, state.rotation.view(), execution);
        TreeEncoder(state.dictionaries, execution).improve(rotated.view(), execution, state.codes);
        state.objective.push_back(mean_squared_error(state.dictionaries, rotated.view(), state.codes, execution));
        report_step(execution, "OTQ", step + 1, options.iterations, state.objective.back(), watch);
    }
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const OtqOptions& options) {
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
    const Prepared data =
        prepare(vectors, {options.dictionaries, options.words}, options.unit_length, options.execution);
    require(options.dictionaries >= 2, "train: a tree needs at least 2 dictionaries, got ", options.dictionaries);
    TreeState state = start_of(data.vectors.view(), options);
    alternate(data.vectors.view(), options, state);
    Quantizer model{.method = "OTQ", .unit_length = options.unit_length, .bias = Bias::derived, .centre = data.centre};
    model.rotation = std::move(state.rotation);
    model.word_offsets = squared_word_norms(state.dictionaries);
    model.encoder.search = CodeSearch::tree;
    model.training = {
        .vectors = vectors.rows(), .distortion = state.objective.back(), .objective = std::move(state.objective)};
    model.dictionaries = std::move(state.dictionaries);
    return model;
}

}  // namespace summand
