// A run of experiments: finds out which cells they need, measures those that are missing and lets them draw
// conclusions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments.h"
#include "laboratory.h"

namespace summand::cli {

struct CampaignOptions {
    std::vector<Experiment> experiments;
    std::vector<PaperSet> sets;
    std::vector<std::size_t> bits;
    double iterations = 1;  ///< share of the usual number
};

struct ExperimentResult {
    Experiment experiment;
    Findings findings;
};

struct CampaignResult {
    std::vector<ExperimentResult> results;
    std::map<CellKey, Cell> cells;
    std::size_t missing = 0;  ///< cells that are not measured yet
};

/// Calls `publish` with what is known so far, before the first cell is measured if there are some of an earlier run,
/// and after every cell. An experiment then leaves out each data set of which it lacks a cell, and notes that.
void run_campaign(const CampaignOptions& options, Laboratory& laboratory, Run& run,
                  const std::function<void(const CampaignResult&)>& publish);

}  // namespace summand::cli
