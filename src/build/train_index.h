// What the steps of a build share: what was asked for, settled.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/file_lock.h"
#include "summand/build.h"
#include "summand/index_spec.h"

namespace summand {

Metric metric_of(const BuildSettings& settings);

/// Parses the spec, or returns the default one.
IndexSpec spec_of(std::string_view spec, const BuildSettings& settings);

/// The spec, or where it is empty the one that is proposed for the base and the memory of the settings.
std::string chosen_spec(const VectorSource& base, std::string_view spec, const BuildSettings& settings);

/// Runs `write` inside of settings.saving.
void saved(const BuildSettings& settings, const std::function<void()>& write);

/// Vectors that cells and codes of the first layer learn from.
std::size_t learn_count(const IndexSpec& spec, const VectorSource& learn, const BuildSettings& settings);

/// The settings of the training alone. With cells, some methods make no checkpoint before the encoding does.
BuildSettings training_settings(const IndexSpec& spec, const BuildSettings& settings);

/// Keeps others from the checkpoint as long as it lives; null where there is none. Throws `Error` where another build
/// or training works on it.
std::unique_ptr<FileLock> hold_checkpoint(const BuildSettings& settings);

/// Reports cells that outnumber the vectors of the base.
void warn_of_many_cells(const IndexSpec& spec, const VectorSource& base, const BuildSettings& settings);

/// The first layer. Reports cells that few vectors are learnt from.
IndexModel train_first(const VectorSource& learn, const IndexSpec& spec, const BuildSettings& settings);

}  // namespace summand
