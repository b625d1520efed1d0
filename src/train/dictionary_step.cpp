#include "train/dictionary_step.h"

#include <lbfgs.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "base/parallel.h"
#include "math/blas.h"
#include "summand/error.h"

namespace summand {
namespace {

/// Value and gradient at a model; may set its tied offsets.
using Objective = std::function<double(CompositeModel&, CompositeGradient&)>;

// The share of the vectors that use each word, never zero.
std::vector<double> usage(const CompositeData& data, const Dictionaries& words) {
    std::vector<double> share(words.rows.rows(), 1e-7);
    for (std::size_t n = 0; n < data.codes.rows(); ++n)
        for (std::size_t m = 0; m < words.count; ++m)
            share[m * words.words + data.codes[n][m]] += 1 / static_cast<double>(data.codes.rows());
    return share;
}

// The solver sees every variable divided by a scale that makes the curvature about the same in all directions:
// a word used by the share p of the vectors has curvature 2p, an offset 2·penalty·p.
class Descent {
public:
    /// Offsets are variables where `offset_penalty` is above 0.
    Descent(Objective objective, const std::vector<double>& share, double offset_penalty, CompositeModel& model)
        : objective_(std::move(objective)), model_(model) {
        const std::size_t D = model.dictionaries.dimensions();
        for (const double p : share) scale_.insert(scale_.end(), D, 1 / std::sqrt(2 * p));
        words_ = scale_.size();
        if (offset_penalty > 0)
            for (const double p : share) scale_.push_back(1 / std::sqrt(2 * p * offset_penalty));
    }

    double run(const LbfgsRecipe& recipe) {
        lowest_ = objective_(model_, gradient_);
        best_ = model_;
        // The solver's first step has length one: a common factor makes that a gradient step of size 1/(2M).
        double norm = 0;
        for_each([&](float, double derivative, std::size_t i) {
            const double scaled = scale_[i] * derivative;
            norm += scaled * scaled;
        });
        const double unit = std::sqrt(norm) / (2 * static_cast<double>(model_.dictionaries.count));
        if (!(unit > 0)) return lowest_;
        // Its limits and stopping rules are absolute: it sees the value relative to the first, whatever the data's
        // scale.
        if (lowest_ > 0) first_ = lowest_;
        for (double& scale : scale_) scale *= unit;
        require(scale_.size() <= INT_MAX, "train: expected at most ", INT_MAX, " values of words and offsets, got ",
                scale_.size());
        const std::unique_ptr<lbfgsfloatval_t, void (*)(lbfgsfloatval_t*)> x(
            lbfgs_malloc(static_cast<int>(scale_.size())), lbfgs_free);
        if (!x) throw std::bad_alloc();
        for_each(
            [&, to = x.get()](float value, double, std::size_t i) { to[i] = static_cast<double>(value) / scale_[i]; });
        lbfgs_parameter_t parameters;
        lbfgs_parameter_init(&parameters);
        parameters.max_iterations = recipe.iterations;
        // The solver goes through all corrections in every iteration (docs/decisions/0004).
        parameters.m = scale_.size() > recipe.many_variables ? recipe.few_corrections : recipe.corrections;
        parameters.epsilon = 1e-9;
        parameters.max_linesearch = recipe.line_searches;
        const int status =
            lbfgs(static_cast<int>(scale_.size()), x.get(), nullptr, &Descent::call, nullptr, this, &parameters);
        if (failure_) std::rethrow_exception(failure_);
        if (status == LBFGSERR_OUTOFMEMORY) throw std::bad_alloc();
        model_ = std::move(best_);
        return lowest_;
    }

private:
    // visit(value, derivative, i) for each variable i.
    template <class Visit>
    void for_each(const Visit& visit) {
        float* words = model_.dictionaries.rows.data();
        for (std::size_t i = 0; i < words_; ++i) visit(words[i], gradient_.words[i], i);
        for (std::size_t i = words_; i < scale_.size(); ++i)
            visit(model_.word_offsets[i - words_], gradient_.offsets[i - words_], i);
    }

    double at(const lbfgsfloatval_t* x, lbfgsfloatval_t* g) {
        double result = lowest_;
        if (std::exchange(started_, true)) {
            for_each([&, scale = scale_.data()](float& value, double, std::size_t i) {
                value = static_cast<float>(x[i] * scale[i]);
            });
            result = objective_(model_, gradient_);
            if (result < lowest_) {
                lowest_ = result;
                best_ = model_;
            }
        }
        for_each([g, first = first_, scale = scale_.data()](float, double derivative, std::size_t i) {
            g[i] = scale[i] * derivative / first;
        });
        return result / first_;
    }

    // The solver is C: an exception must not pass through it. A flat answer makes it stop.
    static lbfgsfloatval_t call(void* self, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, int n, lbfgsfloatval_t) {
        auto& descent = *static_cast<Descent*>(self);
        try {
            if (!descent.failure_) return descent.at(x, g);
        } catch (...) {
            descent.failure_ = std::current_exception();
        }
        std::fill_n(g, n, 0.0);
        return 0;
    }

    Objective objective_;
    CompositeModel& model_;
    std::vector<double> scale_;  // of the words' values, then of the offsets
    std::size_t words_ = 0;      // how many of the variables are values of words
    CompositeGradient gradient_;
    bool started_ = false;  // the solver asks first for the value at the start, which is known
    double lowest_ = 0;
    double first_ = 1;  // the value at the start
    CompositeModel best_;
    std::exception_ptr failure_;
};

}  // namespace

double descend(const CompositeData& data, const CompositePenalty& penalty, const LbfgsRecipe& recipe,
               const Execution& execution, CompositeModel& model, Support support) {
    // A variable whose derivative is always zero stays where it is: every direction of the solver is a combination of
    // gradients.
    std::vector<std::size_t> fixed;
    for (std::size_t i = 0; support == Support::nonzeros && i < model.dictionaries.rows.size(); ++i)
        if (model.dictionaries.rows.data()[i] == 0) fixed.push_back(i);
    const auto objective = [&](CompositeModel& at, CompositeGradient& gradient) {
        if (penalty.offsets == Offsets::tied) tie_offsets(at);
        const double value = evaluate(data, at, penalty, execution, &gradient).objective(penalty);
        for (const std::size_t i : fixed) gradient.words[i] = 0;
        return value;
    };
    const double offset_penalty = penalty.offsets == Offsets::free ? penalty.penalty : 0;
    return Descent(objective, usage(data, model.dictionaries), offset_penalty, model).run(recipe);
}

double squared_cross_products(const Dictionaries& words, double weight, const Execution& execution,
                              std::vector<double>* gradient) {
    const std::size_t K = words.words;
    Matrix<float> products = multiply_transposed(words.rows.view(), words.rows.view(), execution);
    double total = 0;
    for (std::size_t w = 0; w < products.rows(); ++w) {
        std::fill_n(products.row(w) + w / K * K, K, 0.0f);
        for (const float p : products[w]) total += static_cast<double>(p) * static_cast<double>(p);
    }
    if (gradient) {
        const Matrix<float> pulls =
            multiply_transposed(products.view(), transposed(words.rows.view()).view(), execution);
        for (std::size_t i = 0; i < pulls.size(); ++i)
            (*gradient)[i] += 4 * weight * static_cast<double>(pulls.data()[i]);
    }
    return total;
}

double descend_orthogonal(const CompositeData& data, double penalty, const LbfgsRecipe& recipe,
                          const Execution& execution, CompositeModel& model) {
    const auto objective = [&](CompositeModel& at, CompositeGradient& gradient) {
        const double error = evaluate(data, at, {.offsets = Offsets::free}, execution, &gradient).error;
        return error + penalty * squared_cross_products(at.dictionaries, penalty, execution, &gradient.words);
    };
    return Descent(objective, usage(data, model.dictionaries), 0, model).run(recipe);
}

}  // namespace summand
