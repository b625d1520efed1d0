// The figures that the paper prints, as it prints them.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace summand::cli {

/// Recall at 1, 10 and 100 of the true nearest neighbour.
struct PublishedRecall {
    const char* set;  ///< title of the paper's set
    std::size_t bits;
    const char* method;  ///< label in the experiments
    double recalls[3];
};

/// Empty where the paper prints none.
std::optional<PublishedRecall> published_recall(const std::string& set, std::size_t bits, const std::string& method);

/// The set whose published figures this one is compared with: itself, or 1M SIFT.
std::string published_beside(const std::string& set);

/// Mean squared error per vector: the paper's sums divided by its million vectors.
std::optional<double> published_distortion(const std::string& set, std::size_t bits, const std::string& method);

std::optional<double> published_precision(const std::string& set, std::size_t bits, const std::string& method);

/// The multi-index of 1B SIFT.
struct PublishedMultiIndex {
    std::size_t bits;
    std::size_t candidates;  ///< L
    const char* method;
    double recalls[3];  ///< at 1, 10 and 100
    double t1, t2;      ///< milliseconds
};

std::optional<PublishedMultiIndex> published_multi_index(std::size_t bits, std::size_t candidates,
                                                         const std::string& method);

/// Object retrieval: MAP for "Holidays, Fisher" and "Holidays, VLAD", scores for "UKBench, Fisher" and "UKBench, VLAD".
std::optional<double> published_retrieval(const std::string& set, std::size_t bits, const std::string& method);

}  // namespace summand::cli
