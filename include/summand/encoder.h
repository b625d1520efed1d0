// Vectors in, codes out: made once from a model, used as often as there are vectors.
//
//     const Encoder encoder(model);
//     const Codes some = encoder.encode(vectors.view()), more = encoder.encode(others.view());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "summand/codes.h"
#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

struct EncodeOptions {
    std::optional<Effort> effort = {};  ///< instead of the model's
    std::uint64_t seed = 0;             ///< of the encoder's local search
    Execution execution = {};           ///< of this call; an Encoder keeps none
};

/// Holds what encoding derives from the words, such as the inner products of all pairs of them (8 MB with 8
/// dictionaries of 256 words). Does not change once it is made: any number of threads may encode with it at once, and
/// copies share the tables.
class Encoder {
public:
    explicit Encoder(Quantizer quantizer, const EncodeOptions& options = {});

    const Quantizer& quantizer() const;

    /// The code of a vector depends on the model, effort, seed and that vector alone.
    Codes encode(MatrixView<float> vectors, const Execution& execution = {}) const;

private:
    struct Tables;
    std::shared_ptr<const Tables> tables_;
};

/// The same for one call.
Codes encode(const Quantizer& quantizer, MatrixView<float> vectors, const EncodeOptions& options = {});

/// Returns the model that encodes queries which are sent as codes (docs/queries.md). Only the approximation of a query
/// counts, so its encoder minimises the error alone. Throws `Error` for models that store a bias.
Quantizer for_queries(Quantizer model);

}  // namespace summand
