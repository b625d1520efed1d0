#include "summand/encoder.h"

#include <utility>

#include "model/beam_encoder.h"
#include "model/bias.h"
#include "model/block_encoder.h"
#include "model/composite_encoder.h"
#include "model/composite_input.h"
#include "model/effort.h"
#include "model/levels.h"
#include "model/transform.h"
#include "model/tree_encoder.h"
#include "summand/error.h"

namespace summand {

// The encoders borrow the dictionaries, so all of it stays where it was made.
struct Encoder::Tables {
    Tables(Quantizer model, const EncodeOptions& options)
        : quantizer(std::move(model)),
          effort(options.effort.value_or(quantizer.encoder.effort)),
          seed(options.seed),
          identity(summand::identity(quantizer)) {
        const EncoderSettings& settings = quantizer.encoder;
        if (quantizer.dictionaries.blocks()) return;
        switch (settings.search) {
            case CodeSearch::beam:
            case CodeSearch::residual:
                searched = without_levels(quantizer.dictionaries);
                beam.emplace(searched, settings.search, options.execution);
                break;
            case CodeSearch::tree:
                tree.emplace(quantizer.dictionaries, options.execution);
                break;
            case CodeSearch::modes:
                modes.emplace(quantizer.dictionaries, quantizer.word_offsets,
                              CodePenalty{settings.penalty, settings.theta, settings.expectation,
                                          settings.absolute_penalty, settings.norm},
                              options.execution);
        }
    }

    Matrix<std::uint8_t> codes_of(Matrix<float> moved, const Execution& execution) const {
        if (beam) return with_levels(quantizer, beam->encode(moved.view(), beam_width(effort), execution), execution);
        if (tree) return tree->encode(moved.view(), execution);
        if (!modes) return encode_blocks(quantizer.dictionaries, moved.view(), execution);
        const CompositeInput input = composite_input(std::move(moved));
        return modes->encode(input.view(), local_search(effort, quantizer.dictionaries.count, seed), execution);
    }

    const Quantizer quantizer;
    const Effort effort;
    const std::uint64_t seed, identity;
    Dictionaries searched = {};  // by beam search: those before the levels
    std::optional<BeamEncoder> beam = {};
    std::optional<TreeEncoder> tree = {};
    std::optional<CompositeEncoder> modes = {};
};

Encoder::Encoder(Quantizer quantizer, const EncodeOptions& options)
    : tables_(std::make_shared<const Tables>(std::move(quantizer), options)) {}

const Quantizer& Encoder::quantizer() const { return tables_->quantizer; }

Codes Encoder::encode(MatrixView<float> vectors, const Execution& execution) const {
    const Quantizer& model = tables_->quantizer;
    Codes codes{.model = tables_->identity};
    codes.rows = tables_->codes_of(to_code_space(model, vectors, "encode", execution), execution);
    if (model.bias == Bias::stored) codes.bias = biases(model, codes.rows, execution);
    return codes;
}

Codes encode(const Quantizer& quantizer, MatrixView<float> vectors, const EncodeOptions& options) {
    return Encoder(quantizer, options).encode(vectors, options.execution);
}

Quantizer for_queries(Quantizer model) {
    require(model.bias != Bias::stored, model.method,
            " stores a bias with each code, which a query does not need; train with --spec CQd",
            model.dictionaries.count);
    model.encoder.penalty = model.encoder.absolute_penalty = 0;
    return model;
}

}  // namespace summand
