// What is believed of words before vectors are seen: that each is where a block method has it. A dense word learns D
// values from the vectors that use it, a word of a block only D/M; where vectors are few, the noise of the others
// costs more than they bring. The belief counts as much as `weight` vectors that use the word, and adds ridge terms to
// the objective (composite_objective.h):
//
//     weight/N · Σ_w |c_w - c⁰_w|² + penalty·(word_offset_w - o⁰_w)²          o⁰_w = |c_w|² + beyond_w + ε/M
//
// Offsets that are tied to their words have no term of their own.
#pragma once

#include <vector>

#include "summand/recipe.h"
#include "train/composite_objective.h"

namespace summand {

struct Anchor {
    Matrix<float> words;         ///< c⁰, as Dictionaries::rows
    std::vector<double> beyond;  ///< of each word: by how much its offset exceeds |c⁰|²
    double weight = 0;           ///< vectors for each word
};

/// The words and offsets of a model.
Anchor anchor_at(const CompositeModel& model, double weight);

/// Zero without an anchor.
inline double anchor_weight(const CompositeData& data) { return data.anchor ? data.anchor->weight : 0; }

/// The terms; `gradient`, where there is one, grows by theirs.
double anchor_cost(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                   CompositeGradient* gradient);

/// Adds to `image` the second derivative of the terms, applied to a direction of words and offsets.
void add_anchor_curvature(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                          const std::vector<float>& words, const std::vector<float>& offsets, CompositeGradient& image);

/// Offsets whose sums are the nearest to `targets`, by least squares with the terms of the anchor, or from where they
/// stand; with an anchor also ε, for which the sums of the o⁰ equal the targets on average.
void fit_offsets(const CompositeData& data, const std::vector<double>& targets, OffsetRecipe recipe,
                 const Execution& execution, CompositeModel& model);

}  // namespace summand
