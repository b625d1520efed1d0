// Trainings by spec: each reads the options of one method and trains it.
#pragma once

#include <cstddef>

#include "summand/train.h"

namespace summand {

using SpecTrainer = Quantizer(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings);

SpecTrainer train_pq, train_opq, train_rq, train_aq, train_aqe, train_itq, train_otq;
SpecTrainer train_cq, train_ocq, train_nocq, train_locq, train_cqe, train_cqd, train_cqc, train_qav, train_ub,
    train_snocq;

/// Dictionaries of a spec that are left for words where `what` takes some of its codes; throws `Error` where none are.
std::size_t left_of(const Spec& spec, std::size_t taken, const char* what);

/// Codes of a spec that a float of four bytes takes.
std::size_t codes_of_float(std::size_t words);

/// What all options have in common.
template <class Options>
void apply(const TrainSettings& settings, Options& options) {
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
}

}  // namespace summand
