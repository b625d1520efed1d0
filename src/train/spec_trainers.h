// Trainings by spec: each reads the options of one method and settles them.
#pragma once

#include <cstddef>

#include "train/registry.h"

namespace summand {

using SpecTrainer = Trainer(const Spec& spec, const TrainSettings& settings);

SpecTrainer pq_trainer, opq_trainer, rq_trainer, aq_trainer, aqe_trainer, itq_trainer, otq_trainer;
SpecTrainer cq_trainer, ocq_trainer, nocq_trainer, locq_trainer, cqe_trainer, cqd_trainer, cqc_trainer;
SpecTrainer qav_trainer, ub_trainer, snocq_trainer;

/// How many dictionaries of a spec are left for words when `what` takes some of its codes; throws `Error` if none are.
std::size_t left_of(const Spec& spec, std::size_t taken, const char* what);

/// Codes of a spec that a float of four bytes takes.
std::size_t codes_of_float(std::size_t words);

/// Sets the options that specs do not contain.
template <class Options>
void apply(const TrainSettings& settings, Options& options) {
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
}

}  // namespace summand
