#include "train/dictionary_step.h"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include "base/parallel.h"

namespace summand {
namespace {

// The solver sees every variable divided by a scale that makes the curvature about the same in all directions:
// a word used by the share p of the vectors has curvature 2p, an offset 2·penalty·p.
class Descent {
public:
    Descent(const CompositeData& data, const CompositePenalty& penalty, const Execution& execution, CompositeModel& model)
        : data_(data), penalty_(penalty), execution_(execution), model_(model) {
        const Dictionaries& words = model.dictionaries;
        std::vector<double> share(words.rows.rows(), 1e-7);
        for (std::size_t n = 0; n < data.codes.rows(); ++n)
            for (std::size_t m = 0; m < words.count; ++m)
                share[m * words.words + data.codes[n][m]] += 1 / static_cast<double>(data.codes.rows());
        for (const double p : share) {
            word_scale_.push_back(1 / std::sqrt(2 * p));
            offset_scale_.push_back(1 / std::sqrt(2 * p * std::max(penalty.penalty, 1e-30)));
        }
    }

    CompositeTerms run(int iterations) {
        const CompositeTerms start = at_model();
        // The solver's first step has length one: a common factor makes that a gradient step of size 1/(2M).
        double norm = 0;
        for (std::size_t i = 0; i < size(); ++i) norm += gradient(i) * gradient(i);
        unit_ = std::sqrt(norm) / (2 * static_cast<double>(model_.dictionaries.count));
        if (!(unit_ > 0)) return start;
        const std::unique_ptr<lbfgsfloatval_t, void (*)(lbfgsfloatval_t*)> x(lbfgs_malloc(static_cast<int>(size())),
                                                                             lbfgs_free);
        for (std::size_t i = 0; i < size(); ++i) x.get()[i] = value(i) / (scale(i) * unit_);
        known_ = start.objective(penalty_.penalty);
        best_ = model_;
        best_terms_ = start;
        lbfgs_parameter_t parameters;
        lbfgs_parameter_init(&parameters);
        parameters.max_iterations = iterations;
        parameters.m = 8;
        parameters.epsilon = 1e-9;
        parameters.max_linesearch = 8;
        lbfgs(static_cast<int>(size()), x.get(), nullptr, &Descent::call, nullptr, this, &parameters);
        if (failure_) std::rethrow_exception(failure_);
        model_ = std::move(best_);
        return best_terms_;
    }

private:
    std::size_t size() const {
        return model_.dictionaries.rows.size() + (penalty_.offsets == Offsets::free ? offset_scale_.size() : 0);
    }
    std::size_t word_values() const { return model_.dictionaries.rows.size(); }
    double scale(std::size_t i) const {
        return i < word_values() ? word_scale_[i / model_.dictionaries.dimensions()] : offset_scale_[i - word_values()];
    }
    double value(std::size_t i) const {
        return static_cast<double>(i < word_values() ? model_.dictionaries.rows.data()[i]
                                                     : model_.word_offsets[i - word_values()]);
    }
    double gradient(std::size_t i) const {
        return scale(i) * (i < word_values() ? gradient_.words[i] : gradient_.offsets[i - word_values()]);
    }

    CompositeTerms at_model() {
        if (penalty_.offsets == Offsets::tied) tie_offsets(model_);
        return evaluate(data_, model_, penalty_, execution_, &gradient_);
    }

    double at(const lbfgsfloatval_t* x, lbfgsfloatval_t* g) {
        if (known_first_) {
            for (std::size_t i = 0; i < word_values(); ++i)
                model_.dictionaries.rows.data()[i] = static_cast<float>(x[i] * scale(i) * unit_);
            for (std::size_t i = word_values(); i < size(); ++i)
                model_.word_offsets[i - word_values()] = static_cast<float>(x[i] * scale(i) * unit_);
            const CompositeTerms terms = at_model();
            if (terms.objective(penalty_.penalty) < known_) {
                known_ = terms.objective(penalty_.penalty);
                best_ = model_;
                best_terms_ = terms;
            }
            for (std::size_t i = 0; i < size(); ++i) g[i] = gradient(i) * unit_;
            return terms.objective(penalty_.penalty);
        }
        known_first_ = true;
        for (std::size_t i = 0; i < size(); ++i) g[i] = gradient(i) * unit_;
        return known_;
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

    const CompositeData& data_;
    const CompositePenalty& penalty_;
    const Execution& execution_;
    CompositeModel& model_;
    std::vector<double> word_scale_, offset_scale_;
    CompositeGradient gradient_;
    double unit_ = 1;
    bool known_first_ = false;          // the solver's first question is about the start, which is known
    double known_ = 0;                  // lowest objective so far
    CompositeModel best_;
    CompositeTerms best_terms_;
    std::exception_ptr failure_;
};

}  // namespace

CompositeTerms descend(const CompositeData& data, const CompositePenalty& penalty, int iterations,
                       const Execution& execution, CompositeModel& model) {
    return Descent(data, penalty, execution, model).run(iterations);
}

}  // namespace summand
