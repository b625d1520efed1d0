// The spec of an index, from its parts.
#include <bit>
#include <string>

#include "summand/error.h"
#include "summand/index.h"
#include "train/registry.h"

namespace summand {
namespace {

// The shortest spec that names this model: the number of words is written where it is not 256.
std::string spec_of(const Quantizer& quantizer) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    std::string text = concatenate(quantizer.method, spec_number(quantizer));
    if (dictionaries.words == kMaxWords) return text;
    if (std::has_single_bit(dictionaries.words)) return concatenate(text, "x", std::bit_width(dictionaries.words) - 1);
    return concatenate(text, " of ", dictionaries.words, " words");
}

std::string spec_of(const InvertedModel& model) {
    const Dictionaries& words = model.partition.dictionaries;
    const std::string cells =
        words.count == 1 ? concatenate("IVF", words.words) : concatenate("IMI2x", std::bit_width(words.words) - 1);
    return concatenate(cells, model.coding == Coding::plain ? "(coding=plain)," : ",", spec_of(model.quantizer));
}

std::string spec_of(const Refinement& refinement) {
    if (const auto* codes = std::get_if<RefineCodes>(&refinement)) return spec_of(codes->quantizer);
    const auto* rows = std::get_if<RefineRows>(&refinement);
    return rows ? std::string(name(rows->format)) : "flat";
}

}  // namespace

std::string Index::spec() const {
    std::string first = flat() ? spec_of(quantizer()) : spec_of(inverted()->model());
    if (!refinement_) return first;
    return concatenate(first, ",Refine(", spec_of(*refinement_), ")");
}

}  // namespace summand
