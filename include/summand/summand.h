// Everything: compact codes and nearest-neighbour search.
#pragma once

#include "summand/codes.h"
#include "summand/compared_methods.h"
#include "summand/device.h"
#include "summand/dictionaries.h"
#include "summand/error.h"
#include "summand/evaluate.h"
#include "summand/execution.h"
#include "summand/index.h"
#include "summand/inverted.h"
#include "summand/io.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/neighbors.h"
#include "summand/partition.h"
#include "summand/quantizer.h"
#include "summand/train.h"
