// What the training of each method takes, for its row in the registry: it stands beside the trainer it describes.
#pragma once

#include "train/work.h"

namespace summand {

using MethodCost = TrainingCost(const Work& work);

MethodCost pq_cost, opq_cost, rq_cost, aq_cost, otq_cost, itq_cost;
MethodCost cq_cost, ocq_cost, nocq_cost, ub_cost, locq_cost, qav_cost;

}  // namespace summand
