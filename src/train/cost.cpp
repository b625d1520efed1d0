#include "train/cost.h"

#include <cmath>
#include <string>

#include "model/beam_encoder.h"
#include "model/effort.h"
#include "train/registry.h"
#include "train/work.h"

namespace summand {
namespace {

Work work_of(const Spec& spec, const Sizes& sizes) {
    const CodeShape shape = method_row(spec.method).codes(spec);
    return {spec, sizes.vectors, sizes.dimensions, static_cast<double>(shape.dictionaries - shape.levels),
            static_cast<double>(shape.words)};
}

// A perturbation visits all dictionaries about once; a vector that no visit changes any more rests.
double sweeps(Effort effort, std::size_t dictionaries) {
    const LocalSearch search = local_search(effort, dictionaries);
    return search.sweeps + search.perturbations;
}

// `one`: the work of a single vector.
EncodingCost cost_of(const CodeShape& shape, Effort effort, const Work& one) {
    EncodingCost cost;
    const double rotation = shape.rotated ? one.D * one.D : 0, beside = one.words() + rotation + one.D;
    cost.operations = moved_operations(one) + 2 * rotation + (shape.blocks ? block_products(one) : dense_products(one));
    cost.copies = shape.rotated ? 2 : 1;
    cost.code_bytes = std::ceil((one.K <= 16 ? 0.5 : 1) * one.M) + (shape.stored_bias ? sizeof(float) : 0);
    cost.model_bytes = word_bytes(one) / (shape.blocks ? one.M : 1) + sizeof(float) * beside;
    cost.held_bytes = word_bytes(one) + sizeof(float) * beside;
    if (shape.blocks) return cost;
    switch (shape.search) {
        case CodeSearch::modes:
            cost.operations += sweeps(effort, shape.dictionaries) * sweep(one);
            cost.table_bytes = modes_bytes(one);
            cost.thread_bytes = thread_bytes(one);
            break;
        case CodeSearch::beam:
        case CodeSearch::residual:
            cost.operations +=
                beam_search(one, static_cast<double>(beam_width(effort)), shape.search == CodeSearch::beam);
            cost.table_bytes = sizeof(float) * one.pairs_of_words();
            cost.thread_bytes = thread_bytes(one);
            break;
        case CodeSearch::tree:
            cost.operations += tree_search(one);
            cost.table_bytes = sizeof(float) * one.words() * one.K;
    }
    return cost;
}

}  // namespace

TrainingCost training_cost(const Spec& spec, const Sizes& sizes) {
    return method_row(spec.method).cost(work_of(spec, sizes));
}

EncodingCost encoding_cost(const Spec& spec, double dimensions) {
    const CodeShape shape = method_row(spec.method).codes(spec);
    const Work one{spec, 1, dimensions, static_cast<double>(shape.dictionaries), static_cast<double>(shape.words)};
    return cost_of(shape, parse_effort(one.option("effort", std::string(name(Effort::standard)))), one);
}

EncodingCost encoding_cost(const Quantizer& model) {
    const CodeShape shape{.dictionaries = model.dictionaries.count,
                          .words = model.dictionaries.words,
                          .blocks = model.dictionaries.blocks(),
                          .rotated = !model.rotation.empty(),
                          .search = model.encoder.search,
                          .stored_bias = model.bias == Bias::stored};
    const Spec none;
    return cost_of(shape, model.encoder.effort,
                   {none, 1, static_cast<double>(model.dimensions()), static_cast<double>(shape.dictionaries),
                    static_cast<double>(shape.words)});
}

bool makes_checkpoints(const Spec& spec) { return method_row(spec.method).info.resumable; }

}  // namespace summand
