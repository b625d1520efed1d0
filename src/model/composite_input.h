// What the composite encoder and its training see of the data. For y in the space of the words, a metric A and a
// probe matrix P (both the identity where a model has none):
//
//     target z = A·y        words d = A·c           |A·(y - ȳ)|² = |z - Σd|²
//     probe  p = P·y        2 p·d = 2 (A·P·y)·c     what word c takes off the score of the expected query A·P·y
//     shift  |y|² - 2 p·z
#pragma once

#include <cstddef>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct CompositeView {
    MatrixView<float> targets;
    MatrixView<float> probes;  ///< the same memory as the targets where P is the identity
    const float* shifts = nullptr;

    std::size_t rows() const { return targets.rows(); }
    CompositeView slice(std::size_t first, std::size_t count) const {
        return {targets.slice(first, count), probes.slice(first, count), shifts + first};
    }
};

struct CompositeInput {
    Matrix<float> targets;
    Matrix<float> probes;  ///< empty: the targets
    std::vector<float> shifts;

    CompositeView view() const {
        return {targets.view(), probes.empty() ? targets.view() : probes.view(), shifts.data()};
    }
};

CompositeInput composite_input(Matrix<float> vectors, const Matrix<float>& metric, const Matrix<float>& probe,
                               const Execution& execution);

/// The words multiplied by `metric` (unchanged where that is empty).
Dictionaries transformed_words(const Dictionaries& dictionaries, const Matrix<float>& matrix,
                               const Execution& execution);

}  // namespace summand
