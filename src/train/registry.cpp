#include "train/registry.h"

#include <algorithm>
#include <string>

#include "summand/error.h"
#include "train/spec_options.h"

namespace summand {
namespace {

Quantizer train_pq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    PqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.order = read.choice<BlockOrder>("order", {{"natural", BlockOrder::natural},
                                                      {"structured", BlockOrder::structured}});
    options.iterations = read.integer("iterations", options.iterations, 0, 10000);
    read.finish();
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return train(vectors, options);
}

Quantizer train_opq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    OpqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.start = read.choice<RotationStart>("start", {{"auto", RotationStart::automatic},
                                                         {"identity", RotationStart::identity},
                                                         {"pca", RotationStart::pca}});
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    read.finish();
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return train(vectors, options);
}

const MethodRow kRows[] = {
    {{"PQ", "product quantization: k-means in blocks of dimensions", {"iterations=25", "order=natural|structured"}},
     train_pq},
    {{"OPQ", "Cartesian k-means: PQ after a learnt rotation", {"iterations=40", "start=auto|identity|pca"}}, train_opq},
};

}  // namespace

std::span<const MethodRow> method_rows() { return kRows; }

const MethodRow& method_row(std::string_view name) {
    std::string known;
    for (const MethodRow& row : kRows) {
        if (row.info.name == name) return row;
        known += concatenate(known.empty() ? "" : ", ", row.info.name);
    }
    throw Error(concatenate("unknown method '", name, "'; known: ", known));
}

std::vector<MethodInfo> methods() {
    std::vector<MethodInfo> list;
    for (const MethodRow& row : kRows) list.push_back(row.info);
    return list;
}

Quantizer train(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return method_row(spec.method).train(vectors, spec, settings);
}

}  // namespace summand
