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

/// One of `count` parts of a campaign, from 1 on. Parts take about the same time, and no model belongs to two of them.
struct Part {
    std::size_t number = 1, count = 1;
};

struct CampaignOptions {
    std::vector<Experiment> experiments;
    std::vector<PaperSet> sets;    ///< whole
    std::vector<PaperSet> slices;  ///< of each; the set itself where it is small enough
    std::vector<std::size_t> bits;
    double iterations = 1;  ///< share of the usual number
    Part part = {};
    std::uint64_t seed = 1;
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

/// What the cells that are missing will take.
struct CampaignCost {
    std::size_t cells = 0, missing = 0;
    double seconds = 0;
};

CampaignCost campaign_cost(const CampaignOptions& options, const Laboratory& laboratory);

/// Measures the cells of its part. Calls `publish` with what is known so far, before the first cell is measured if
/// there are some of an earlier run, and after every cell. An experiment then leaves out each data set of which it
/// lacks a cell, and notes that.
void run_campaign(const CampaignOptions& options, Laboratory& laboratory, Run& run,
                  const std::function<void(const CampaignResult&)>& publish);

}  // namespace summand::cli
