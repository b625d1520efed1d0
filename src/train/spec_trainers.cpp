#include "train/spec_trainers.h"

#include "summand/compared_methods.h"
#include "summand/error.h"
#include "train/spec_options.h"

namespace summand {
namespace {

constexpr int kMostIterations = 10000;

template <class Options>
Trainer trainer_with(Options options, const TrainSettings& settings) {
    apply(settings, options);
    return [options](MatrixView<float> vectors) { return train(vectors, options); };
}

Trainer additive_trainer(const Spec& spec, std::size_t norm_codes, const TrainSettings& settings) {
    SpecOptions read(spec);
    AqOptions options{.words = spec.words(), .norm_byte = norm_codes > 0};
    options.iterations = read.integer("iterations", options.iterations, 1, kMostIterations);
    options.effort = parse_effort(read.text("effort", "default"));
    read.finish();
    options.dictionaries = left_of(spec, norm_codes, "the norm");
    return trainer_with(options, settings);
}

}  // namespace

std::size_t left_of(const Spec& spec, std::size_t taken, const char* what) {
    require(spec.dictionaries > taken, "spec '", to_string(spec), "': expected more than ", taken,
            " dictionaries, which is what ", what, " takes, got ", spec.dictionaries);
    return spec.dictionaries - taken;
}

Trainer pq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    PqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.order =
        read.choice<BlockOrder>("order", {{"natural", BlockOrder::natural}, {"structured", BlockOrder::structured}});
    options.iterations = read.integer("iterations", options.iterations, 0, kMostIterations);
    read.finish();
    return trainer_with(options, settings);
}

Trainer opq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    OpqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.start = read.choice<RotationStart>(
        "start",
        {{"auto", RotationStart::automatic}, {"identity", RotationStart::identity}, {"pca", RotationStart::pca}});
    options.iterations = read.integer("iterations", options.iterations, 1, kMostIterations);
    read.finish();
    return trainer_with(options, settings);
}

Trainer rq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    RqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.iterations = read.integer("iterations", options.iterations, 1, kMostIterations);
    options.effort = parse_effort(read.text("effort", "default"));
    read.finish();
    return trainer_with(options, settings);
}

Trainer aq_trainer(const Spec& spec, const TrainSettings& settings) { return additive_trainer(spec, 0, settings); }

Trainer aqe_trainer(const Spec& spec, const TrainSettings& settings) { return additive_trainer(spec, 1, settings); }

Trainer itq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    ItqOptions options{.bits = spec.dictionaries};
    require(spec.bits == 8, "spec '", to_string(spec), "': expected no bits per code, the number of ITQ counts bits");
    options.iterations = read.integer("iterations", options.iterations, 1, kMostIterations);
    options.distance = read.choice<HammingDistance>(
        "distance", {{"asymmetric", HammingDistance::asymmetric}, {"symmetric", HammingDistance::symmetric}});
    read.finish();
    return trainer_with(options, settings);
}

Trainer otq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    OtqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.iterations = read.integer("iterations", options.iterations, 1, kMostIterations);
    read.finish();
    return trainer_with(options, settings);
}

}  // namespace summand
