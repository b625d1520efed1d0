#include "train/anchor.h"

#include <numeric>

#include "kernels/kernels.h"
#include "train/additive_fit.h"

namespace summand {
namespace {

double squared_length(const CompositeModel& model, std::size_t w) {
    const float* word = model.dictionaries.rows.row(w);
    return static_cast<double>(kernels().dot(word, word, model.dictionaries.dimensions()));
}

double scale_of(const CompositeData& data) { return data.anchor->weight / static_cast<double>(data.vectors.rows()); }

bool pulls_offsets(const CompositePenalty& penalty) { return penalty.offsets == Offsets::free && penalty.penalty > 0; }

// Every offset at its o⁰.
void anchor_offsets(const CompositeData& data, const std::vector<double>& targets, CompositeModel& model) {
    const std::size_t M = model.dictionaries.count, K = model.dictionaries.words;
    for (std::size_t w = 0; w < M * K; ++w)
        model.word_offsets[w] = static_cast<float>(squared_length(model, w) + data.anchor->beyond[w]);
    double sum = std::accumulate(targets.begin(), targets.end(), 0.0);
    for (std::size_t n = 0; n < targets.size(); ++n)
        for (std::size_t m = 0; m < M; ++m) sum -= static_cast<double>(model.word_offsets[m * K + data.codes[n][m]]);
    model.epsilon = sum / static_cast<double>(targets.size());
    for (float& offset : model.word_offsets) offset += static_cast<float>(model.epsilon / static_cast<double>(M));
}

}  // namespace

Anchor anchor_at(const CompositeModel& model, double weight) {
    Anchor anchor{.words = model.dictionaries.rows, .weight = weight};
    for (std::size_t w = 0; w < anchor.words.rows(); ++w)
        anchor.beyond.push_back(static_cast<double>(model.word_offsets[w]) - squared_length(model, w));
    return anchor;
}

double anchor_cost(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                   CompositeGradient* gradient) {
    if (anchor_weight(data) == 0) return 0;
    const Anchor& anchor = *data.anchor;
    const std::size_t D = model.dictionaries.dimensions();
    const double scale = scale_of(data), share = model.epsilon / static_cast<double>(model.dictionaries.count);
    double cost = 0;
    for (std::size_t w = 0; w < anchor.words.rows(); ++w) {
        const float *word = model.dictionaries.rows.row(w), *start = anchor.words.row(w);
        double pull = 0;  // on the offset
        if (pulls_offsets(penalty)) {
            const double excess =
                static_cast<double>(model.word_offsets[w]) - squared_length(model, w) - anchor.beyond[w] - share;
            cost += scale * penalty.penalty * excess * excess;
            pull = 2 * scale * penalty.penalty * excess;
        }
        cost += scale * static_cast<double>(kernels().squared_distance(word, start, D));
        if (!gradient) continue;
        gradient->offsets[w] += pull;
        for (std::size_t d = 0; d < D; ++d)
            gradient->words[w * D + d] +=
                2 * (scale * static_cast<double>(word[d] - start[d]) - pull * static_cast<double>(word[d]));
    }
    return cost;
}

void add_anchor_curvature(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                          const std::vector<float>& words, const std::vector<float>& offsets,
                          CompositeGradient& image) {
    if (anchor_weight(data) == 0) return;
    const std::size_t D = model.dictionaries.dimensions();
    const double scale = scale_of(data);
    for (std::size_t w = 0; w < offsets.size(); ++w) {
        const float *word = model.dictionaries.rows.row(w), *direction = words.data() + w * D;
        double pull = 0;
        if (pulls_offsets(penalty))
            pull = 2 * scale * penalty.penalty *
                   (static_cast<double>(offsets[w]) - 2 * static_cast<double>(kernels().dot(word, direction, D)));
        image.offsets[w] += pull;
        for (std::size_t d = 0; d < D; ++d)
            image.words[w * D + d] +=
                2 * (scale * static_cast<double>(direction[d]) - pull * static_cast<double>(word[d]));
    }
}

void fit_offsets(const CompositeData& data, const std::vector<double>& targets, OffsetRecipe recipe,
                 const Execution& execution, CompositeModel& model) {
    if (anchor_weight(data) > 0) anchor_offsets(data, targets, model);
    recipe.ridge += anchor_weight(data);
    fit_additive(data.codes, targets, model.dictionaries.words, execution, model.word_offsets, recipe);
}

}  // namespace summand
