// The experiments of the paper: each a function from cells to tables, plots and checks of what the paper claims.
//
// A function asks for the cells it needs by calling `cell`. It is called twice: first to learn which cells that are,
// when all figures it gets are absent (below zero), and again when they are measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cells.h"
#include "data_sets.h"
#include "page.h"
#include "plot.h"

namespace summand::cli {

/// One statement of the paper, and whether our figures bear it out.
struct Check {
    std::string claim;
    std::string figures;
    bool holds = false;
};

/// What an experiment shows of one data set.
struct Block {
    std::string heading;
    std::vector<Plot> plots = {};
    std::vector<FigureTable> tables = {};
};

struct Findings {
    std::vector<Block> blocks = {};
    std::vector<Check> checks = {};
    std::vector<std::string> notes = {};  ///< what was not measured, and why
};

struct ExperimentInput {
    const std::vector<PaperSet>& sets;
    const std::vector<std::size_t>& bits;  ///< code lengths
    double iterations = 1;                 ///< share of the usual number of iterations
    std::function<const Cell&(const CellKey&)> cell;
};

/// The headlines stand at the top of the report, each with a plot.
enum class Standing : std::uint8_t { headline, section };

struct Experiment {
    std::string_view name;  ///< as on the command line
    std::string_view title;
    std::string_view source;  ///< table or figure of the paper
    std::string_view claim;   ///< what the paper says
    std::string_view remark;  ///< where our measurement differs from the paper's; may be empty
    Extent extent;            ///< of the data it is measured on
    Standing standing;
    Findings (*run)(const ExperimentInput& input);
};

/// All of them, in the order of the report. A new one is a function and a row in experiments.cpp.
const std::vector<Experiment>& experiments();

/// Those with these names, or all; throws for a name that is not known.
std::vector<Experiment> chosen_experiments(const std::vector<std::string>& names);

Findings recall_against_distortion(const ExperimentInput& input);
Findings query_time(const ExperimentInput& input);
Findings orthogonality(const ExperimentInput& input);
Findings additive_methods(const ExperimentInput& input);
Findings upper_bound(const ExperimentInput& input);
Findings quantization_error(const ExperimentInput& input);
Findings third_term(const ExperimentInput& input);
Findings augmented_vectors(const ExperimentInput& input);
Findings what_training_adds(const ExperimentInput& input);
Findings convergence(const ExperimentInput& input);
Findings effect_of_epsilon(const ExperimentInput& input);
Findings effect_of_translation(const ExperimentInput& input);
Findings recall_curves(const ExperimentInput& input);
Findings precision_by_length(const ExperimentInput& input);
Findings inner_product_search(const ExperimentInput& input);
Findings query_compression(const ExperimentInput& input);
Findings multi_index(const ExperimentInput& input);
Findings object_retrieval(const ExperimentInput& input);

}  // namespace summand::cli
