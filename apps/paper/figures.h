// What the experiments share: methods as specs of a code length, tables of recall beside published figures, and checks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments.h"

namespace summand::cli {

inline constexpr double kSimilar = 0.02;  ///< of recall, where the paper says that methods perform similarly
inline constexpr double kSlightly = 1.5;  ///< times as long, where the paper says "slightly more" or "similar"

/// A method of an experiment. `spec` has {} where the number of bytes goes ("NOCQ{}(epsilon=0)"), of bits for ITQ.
struct Method {
    std::string label;  ///< as the paper calls it
    std::string spec;
    Measure measure = Measure::search;
    std::string query_spec = {};
};

/// Spec of that many bits on that set, with the share of the iterations that the run uses.
std::string spec_of(const std::string& pattern, const PaperSet& set, std::size_t bits, const ExperimentInput& input);

/// Whether such a code exists: signs need as many dimensions as bits, and a counted float needs its four bytes.
bool possible(const Method& method, const PaperSet& set, std::size_t bits);

const Cell& cell_of(const Method& method, const PaperSet& set, std::size_t bits, const ExperimentInput& input);

/// The same method has the same colour in every plot, and methods of one plot have different ones.
std::size_t colour_of(const std::string& label);

/// A table cell of a share with three digits; absent where it is below zero.
TableCell share_cell(double share);
/// An error or objective as people read it: 31,180 or 0.819.
std::string figure_text(double figure);
/// A table cell of any number; absent where it is below zero.
TableCell number_cell(double number, const std::string& text);

/// Bits and method, then the figures.
TableRow table_row(const Method& method, std::size_t bits, const TableRow& figures);

/// Title of a column of published figures. It names the paper's set, by default the one that `set` is compared with.
std::string published_title(const std::string& what, const PaperSet& set, std::string belonging_to = {});

/// Bits, method, and recall at 1, 10 and 100 for T = 1, with published figures in columns of their own.
FigureTable recall_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input);

/// Recall@R for all R measured, one plot for each code length; published figures are hollow where data is the same.
std::vector<Plot> recall_plots(const std::vector<Method>& methods, const PaperSet& set, std::size_t truths,
                               const ExperimentInput& input);

/// Blocks with the table alone, or with curves of recall@R before it.
std::vector<Block> recall_blocks(const std::vector<Method>& methods, const ExperimentInput& input);

/// A figure that experiments show against code length.
struct LengthFigure {
    std::string name;  ///< "MAP"
    double (*value)(const Cell& cell);
    /// By set, bits and method; null where the paper's data is never the same.
    std::optional<double> (*published)(const std::string&, std::size_t, const std::string&) = nullptr;
};

Plot length_plot(const LengthFigure& figure, const std::vector<Method>& methods, const PaperSet& set,
                 const ExperimentInput& input);

/// One check for each code length at which both exist.
void check_length_figure(const LengthFigure& figure, const Method& more, const Method& less, const PaperSet& set,
                         const ExperimentInput& input, std::vector<Check>& checks);

/// The title of a set; of a slice with its sizes.
std::string heading(const PaperSet& set);

/// "NOCQ above OPQ in recall@10, 64 bits, sift": not below counts as above where the difference is under `slack`.
struct Comparison {
    const Method& more;
    const Method& less;
    double slack = 0;
    std::size_t answers = 10;
};

/// One check for each set and each code length at which both exist.
void check_above(const Comparison& compared, const ExperimentInput& input, std::vector<Check>& checks);

/// One check for each set and code length: recall differs by no more than `tolerance`.
void check_similar(const Comparison& compared, double tolerance, const ExperimentInput& input,
                   std::vector<Check>& checks);

}  // namespace summand::cli
