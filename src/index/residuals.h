// What an index leaves of vectors, for a second layer to learn and to encode: x - x̄, with x of length one for cosine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "index/first_codes.h"
#include "summand/index.h"

namespace summand {

class Residuals {
public:
    /// Throws `Error` where the ids of the index are not those from 0 to n - 1.
    explicit Residuals(const Index& index);

    /// `ids`: those of the vectors.
    Matrix<float> operator()(MatrixView<float> vectors, std::span<const std::int64_t> ids,
                             const Execution& execution = {}) const;

private:
    std::shared_ptr<const FirstCodes> first_codes_;
    Metric metric_;
};

}  // namespace summand
