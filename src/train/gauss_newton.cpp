#include "train/gauss_newton.h"

#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "train/anchor.h"
#include "train/least_squares.h"

namespace summand {
namespace {

constexpr double kTolerance = 1e-9;  // of the gradient's squared size

// A direction, or a gradient: a change of every word and of every offset.
struct Change {
    std::vector<float> words, offsets;
};

double product(const CompositeGradient& a, const Change& b) {
    double sum = 0;
    for (std::size_t i = 0; i < b.words.size(); ++i) sum += a.words[i] * static_cast<double>(b.words[i]);
    for (std::size_t i = 0; i < b.offsets.size(); ++i) sum += a.offsets[i] * static_cast<double>(b.offsets[i]);
    return sum;
}

void add(CompositeGradient& to, double factor, const CompositeGradient& what) {
    for (std::size_t i = 0; i < to.words.size(); ++i) to.words[i] += factor * what.words[i];
    for (std::size_t i = 0; i < to.offsets.size(); ++i) to.offsets[i] += factor * what.offsets[i];
}

// to = what + factor·to.
void follow(Change& to, float factor, const Change& what) {
    for (std::size_t i = 0; i < to.words.size(); ++i) to.words[i] = what.words[i] + factor * to.words[i];
    for (std::size_t i = 0; i < to.offsets.size(); ++i) to.offsets[i] = what.offsets[i] + factor * to.offsets[i];
}

// The quadratic that stands for the objective around a model.
class Tangent {
public:
    Tangent(const CompositeData& data, const CompositePenalty& penalty, double ridge, const Execution& execution,
            const CompositeModel& model)
        : data_(data),
          penalty_(penalty),
          execution_(execution),
          words_(model.dictionaries.words),
          dimensions_(model.dictionaries.dimensions()),
          model_(model),
          counts_(usage_factor(data, words_, ridge, execution)),
          residuals_(data.vectors.rows(), dimensions_) {
        parallel_ranges(execution, residuals_.rows(), 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t n = first; n < last; ++n) {
                sum_chosen(model.dictionaries.rows.data(), n, residuals_.row(n));
                kernels().combine(1, data_.vectors.vectors.row(n), -1, residuals_.row(n), 0, residuals_.row(n),
                                  dimensions_, residuals_.row(n));
            }
        });
    }

    /// The second derivative, applied to a direction.
    void curvature(const Change& direction, CompositeGradient& image) const {
        sum_by_word(
            data_.codes, words_, dimensions_, 1 / static_cast<double>(data_.codes.rows()),
            [&](std::size_t, std::size_t n, float* out) {
                sum_chosen(direction.words.data(), n, out);
                const float* y = data_.vectors.vectors.row(n);
                double slope =
                    2 * penalty_.expectation * dot(y, out) - 2 * (1 - penalty_.theta) * dot(residuals_.row(n), out);
                for (std::size_t m = 0; m < data_.codes.columns(); ++m)
                    slope -= static_cast<double>(direction.offsets[m * words_ + data_.codes[n][m]]);
                // 2 δ + 2 μ slope·g
                const double weight = 4 * penalty_.penalty * slope;
                kernels().combine(2, out, static_cast<float>(penalty_.expectation * weight), y,
                                  static_cast<float>(-(1 - penalty_.theta) * weight), residuals_.row(n), dimensions_,
                                  out);
                return penalty_.offsets == Offsets::free ? -2 * penalty_.penalty * slope : 0;
            },
            execution_, image);
        add_anchor_curvature(data_, model_, penalty_, direction.words, direction.offsets, image);
    }

    /// Divides the gradient of words by the curvature without the penalty, and the gradient of offsets by their own
    /// curvature.
    Change preconditioned(const CompositeGradient& gradient) const {
        Change result{{gradient.words.begin(), gradient.words.end()},
                      {gradient.offsets.begin(), gradient.offsets.end()}};
        counts_.solve(result.words.data(), dimensions_);
        counts_.solve(result.offsets.data(), 1);
        if (penalty_.penalty > 0)
            for (float& value : result.offsets) value /= static_cast<float>(penalty_.penalty);
        return result;
    }

private:
    // 2/N·(Y·Yᵀ + ridge).
    static Cholesky usage_factor(const CompositeData& data, std::size_t words, double ridge,
                                 const Execution& execution) {
        Matrix<float> counts = cooccurrences(data.codes, words, execution);
        const auto diagonal = static_cast<float>(ridge + anchor_weight(data));
        for (std::size_t w = 0; w < counts.rows(); ++w) counts[w][w] += diagonal;
        const float scale = 2 / static_cast<float>(data.codes.rows());
        for (std::size_t i = 0; i < counts.size(); ++i) counts.data()[i] *= scale;
        return Cholesky(std::move(counts));
    }

    void sum_chosen(const float* rows, std::size_t n, float* out) const {
        const float* chosen[kMaxDictionaries];
        for (std::size_t m = 0; m < data_.codes.columns(); ++m)
            chosen[m] = rows + (m * words_ + data_.codes[n][m]) * dimensions_;
        kernels().sum_rows(chosen, data_.codes.columns(), dimensions_, out);
    }

    double dot(const float* a, const float* b) const { return static_cast<double>(kernels().dot(a, b, dimensions_)); }

    const CompositeData& data_;
    const CompositePenalty& penalty_;
    const Execution& execution_;
    std::size_t words_, dimensions_;
    const CompositeModel& model_;
    Cholesky counts_;
    Matrix<float> residuals_;
};

// Conjugate gradients on the quadratic, from its gradient at the model.
Change minimise(const Tangent& tangent, CompositeGradient gradient, int iterations) {
    Change direction = tangent.preconditioned(gradient);
    CompositeGradient total{std::vector<double>(direction.words.size()), std::vector<double>(direction.offsets.size())};
    double size = product(gradient, direction);
    const double enough = kTolerance * size;  // below it, directions would follow rounding errors
    CompositeGradient image;
    for (int i = 0; i < iterations && size > enough; ++i) {
        tangent.curvature(direction, image);
        const double bend = product(image, direction);
        if (!(bend > 0)) break;
        add(total, -size / bend,
            {{direction.words.begin(), direction.words.end()}, {direction.offsets.begin(), direction.offsets.end()}});
        add(gradient, -size / bend, image);
        const Change next = tangent.preconditioned(gradient);
        const double next_size = product(gradient, next);
        follow(direction, static_cast<float>(next_size / size), next);
        size = next_size;
    }
    return {{total.words.begin(), total.words.end()}, {total.offsets.begin(), total.offsets.end()}};
}

}  // namespace

double newton_step(const CompositeData& data, const CompositePenalty& penalty, const NewtonRecipe& recipe,
                   const Execution& execution, CompositeModel& model) {
    CompositeGradient gradient;
    const double before = evaluate(data, model, penalty, execution, &gradient).objective(penalty);
    const Change change =
        minimise(Tangent(data, penalty, recipe.ridge, execution, model), std::move(gradient), recipe.iterations);
    float step = 1;
    for (int halving = 0; halving <= recipe.halvings; ++halving, step /= 2) {
        CompositeModel moved = model;
        for (std::size_t i = 0; i < change.words.size(); ++i)
            moved.dictionaries.rows.data()[i] += step * change.words[i];
        for (std::size_t i = 0; i < change.offsets.size(); ++i) moved.word_offsets[i] += step * change.offsets[i];
        const double after = evaluate(data, moved, penalty, execution).objective(penalty);
        if (after < before) {
            model = std::move(moved);
            return after;
        }
    }
    return before;
}

}  // namespace summand
