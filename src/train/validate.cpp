// The paper's rule for the penalty: train with each candidate and keep the one whose model finds the neighbours best,
// averaged over the 5, 10, …, 100 nearest, with a sample of the training vectors as queries.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/norms.h"
#include "model/composite_encoder.h"
#include "model/effort.h"
#include "train/composite.h"

namespace summand {
namespace {

constexpr std::size_t kQueries = 512;
constexpr std::size_t kMostNeighbors = 100, kStep = 5;

// The rows with the smallest scores bias[row] - 2 q·row, best first, for each query; the query itself left out.
Matrix<std::uint32_t> ranking(MatrixView<float> queries, const std::vector<std::size_t>& own, MatrixView<float> rows,
                              const float* bias, std::size_t count, const Execution& execution) {
    const Matrix<float> products = multiply_transposed(queries, rows, execution);
    Matrix<std::uint32_t> best(queries.rows(), count);
    parallel_for(execution, queries.rows(), [&](std::size_t q) {
        std::vector<std::pair<float, std::uint32_t>> scores(rows.rows());
        for (std::size_t i = 0; i < scores.size(); ++i)
            scores[i] = {i == own[q] ? std::numeric_limits<float>::max() : bias[i] - 2 * products[q][i],
                         static_cast<std::uint32_t>(i)};
        std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count), scores.end());
        for (std::size_t i = 0; i < count; ++i) best[q][i] = scores[i].second;
    });
    return best;
}

// Mean over T = 5, 10, … of the share of the T nearest found among the first T answers.
double search_accuracy(const Matrix<std::uint32_t>& truth, const Matrix<std::uint32_t>& found) {
    double sum = 0, terms = 0;
    for (std::size_t q = 0; q < truth.rows(); ++q)
        for (std::size_t T = std::min(kStep, truth.columns()); T <= truth.columns(); T += kStep) {
            std::vector<std::uint32_t> a(truth.row(q), truth.row(q) + T), b(found.row(q), found.row(q) + T), both;
            std::sort(a.begin(), a.end());
            std::sort(b.begin(), b.end());
            std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
            sum += static_cast<double>(both.size()) / static_cast<double>(T);
            terms += 1;
        }
    return sum / std::max(1.0, terms);
}

// Those who ask: held-out vectors or, where there are none, some of the judged ones.
struct Judges {
    Matrix<float> queries;
    std::vector<std::size_t> own;  // row of each among the judged vectors, or past their end
};

Judges judges(const CompositeTask& task, MatrixView<float> judged) {
    const bool apart = !task.held_out.empty();
    const MatrixView<float> from = apart ? task.held_out.view() : judged;
    Judges result{.queries = Matrix<float>(std::min(kQueries, from.rows()), from.columns())};
    for (std::size_t q = 0; q < result.queries.rows(); ++q) {
        const std::size_t row = from.rows() * q / result.queries.rows();
        result.own.push_back(apart ? judged.rows() : row);
        std::copy_n(from.row(row), from.columns(), result.queries.row(q));
    }
    return result;
}

}  // namespace

double validated_penalty(CompositeTask& task, const CompositeState& start) {
    const Stopwatch watch;
    const Execution execution = task.options.execution;
    const MatrixView<float> vectors = judged_vectors(task, start).vectors;  // until the first translation
    const std::size_t count = std::min(kMostNeighbors, vectors.rows() - 1);
    const auto [queries, own] = judges(task, vectors);
    const std::vector<float> norms = squared_norms(vectors);
    const Matrix<std::uint32_t> truth = ranking(queries.view(), own, vectors, norms.data(), count, execution);

    const std::vector<float> translation = task.translation;
    double best = start.penalty, highest = -1;
    int tried = 0;
    for (const double factor : task.recipe.penalty.validated) {
        CompositeState state = start;
        state.penalty = start.penalty * factor;
        while (state.step < task.recipe.iterations) iterate(task, task.recipe.iterations, state);
        const JudgedScores scores = judged_scores(task, state);
        Matrix<float> moved = queries;
        for (std::size_t q = 0; q < moved.rows(); ++q)
            for (std::size_t d = 0; d < moved.columns(); ++d) moved[q][d] -= task.translation[d];
        const double accuracy = search_accuracy(
            truth, ranking(moved.view(), own, scores.sums.view(), scores.offsets.row(0), count, execution));
        if (task.translation != translation) task.translate(translation);
        if (accuracy > highest) {
            highest = accuracy;
            best = state.penalty;
        }
        const std::string stage =
            "validate mu=" + std::to_string(state.penalty) + ", found " + std::to_string(accuracy);
        report_step(execution, stage, ++tried, static_cast<int>(std::size(task.recipe.penalty.validated)),
                    state.objective.back(), watch);
    }
    return best;
}

}  // namespace summand
