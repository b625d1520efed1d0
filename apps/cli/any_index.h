// An index of either kind, as the verbs that only ask it see it.
#pragma once

#include <variant>

#include "run.h"

namespace summand::cli {

/// Which cells a query visits (neither: the default number), and how their vectors are scored.
struct ProbeOptions {
    std::size_t probes = 0;
    std::size_t candidates = 0;
    bool reconstruct = false;
};

void add_probes(CLI::App& verb, ProbeOptions& options);

class AnyIndex {
public:
    /// Throws for probes where the index has no cells.
    AnyIndex(const std::string& path, const ProbeOptions& probes);

    std::size_t size() const;
    std::size_t dimensions() const;
    Metric metric() const;
    const std::string& path() const { return path_; }

    Neighbors search(MatrixView<float> queries, std::size_t k, const Execution& execution) const;
    Report evaluate(MatrixView<float> queries, MatrixView<std::int64_t> truth, std::size_t k,
                    const Execution& execution) const;

private:
    InvertedSearchOptions options(std::size_t k, const Execution& execution) const;

    std::string path_;
    std::variant<FlatIndex, InvertedIndex> index_;
    ProbeOptions probes_;
};

}  // namespace summand::cli
