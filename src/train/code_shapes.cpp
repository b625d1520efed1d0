#include "train/code_shapes.h"

#include <string>

#include "train/spec_trainers.h"

namespace summand {
namespace {

constexpr std::size_t kBitsOfByte = 8;

CodeShape searched(const Spec& spec, CodeSearch search) {
    CodeShape shape = dense_codes(spec);
    shape.search = search;
    return shape;
}

}  // namespace

CodeShape block_codes(const Spec& spec) {
    return {.dictionaries = spec.dictionaries, .words = spec.words(), .blocks = true};
}

CodeShape rotated_block_codes(const Spec& spec) {
    CodeShape shape = block_codes(spec);
    shape.rotated = true;
    return shape;
}

CodeShape sign_codes(const Spec& spec) {
    CodeShape shape = rotated_block_codes(spec);
    shape.dictionaries = (spec.dictionaries + kBitsOfByte - 1) / kBitsOfByte;
    return shape;
}

CodeShape dense_codes(const Spec& spec) { return {.dictionaries = spec.dictionaries, .words = spec.words()}; }

CodeShape cq_codes(const Spec& spec) {
    CodeShape shape = dense_codes(spec);
    const auto written = spec.options.find("bias");
    const std::string bias = written == spec.options.end() ? "float" : written->second;
    shape.stored_bias = bias == "float";
    shape.levels = bias == "byte" ? 1 : 0;
    shape.dictionaries += shape.levels;
    return shape;
}

CodeShape levelled_codes(const Spec& spec) {
    CodeShape shape = dense_codes(spec);
    shape.levels = 1;
    return shape;
}

// The float takes the place of some codes.
CodeShape cqc_codes(const Spec& spec) {
    CodeShape shape = dense_codes(spec);
    shape.dictionaries = left_of(spec, codes_of_float(spec.words()), "the third term");
    shape.stored_bias = true;
    return shape;
}

CodeShape residual_codes(const Spec& spec) { return searched(spec, CodeSearch::residual); }

CodeShape beam_codes(const Spec& spec) { return searched(spec, CodeSearch::beam); }

CodeShape levelled_beam_codes(const Spec& spec) {
    CodeShape shape = beam_codes(spec);
    shape.levels = 1;
    return shape;
}

CodeShape tree_codes(const Spec& spec) {
    CodeShape shape = searched(spec, CodeSearch::tree);
    shape.rotated = true;
    return shape;
}

std::size_t bit_number(const Quantizer& model) { return kBitsOfByte * model.dictionaries.count; }

std::size_t counted_number(const Quantizer& model) {
    return model.dictionaries.count + codes_of_float(model.dictionaries.words);
}

}  // namespace summand
