// A run of experiments: finds out which cells they need, measures those that are missing and lets them draw
// conclusions.
#pragma once

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
};

CampaignResult run_campaign(const CampaignOptions& options, Laboratory& laboratory, Run& run);

}  // namespace summand::cli
