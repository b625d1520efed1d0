// Measures cells and remembers them: a folder holds one file per finished cell, the models and codes they share, and
// the true neighbours. A run that was stopped goes on with what is there.
//
//     FOLDER/cells/SET-SPEC-MEASURE-HASH-MACHINE.json      FOLDER/models/SET-SPEC-HASH.{model,codes,index}.smd and
//     .json FOLDER/truth/SET-METRIC-HASH.ivecs
//
// HASH stands for the values of the data, the spec, the seed and the sources that decide a figure
// (cmake/sources.cmake); of cells also for the rest of their key, lists of relevant images included. MACHINE stands for
// the kind of machine, which decides times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cells.h"
#include "data_sets.h"
#include "tool.h"

namespace summand::cli {

struct LaboratoryOptions {
    std::string folder;
    std::string machine;  ///< processor, threads and instruction set
    std::uint64_t seed = 1;
};

class Laboratory {
public:
    Laboratory(LaboratoryOptions options, Run& run);

    /// The cell, where it is finished.
    std::optional<Cell> find(const PaperSet& set, const CellKey& key) const;

    /// Measures and keeps it; `execution` reports the progress of its parts.
    Cell measure(const PaperSet& set, const CellKey& key, const Execution& execution);

private:
    struct Times {
        double train = 0, encode = 0;
    };
    struct Fitted {
        Quantizer model;
        Codes codes;
        Times times = {};
    };
    struct Listed {
        Index index;
        Times times = {};
    };

    std::string path(const char* kind, const PaperSet& set, const std::string& name, const std::string& ending) const;
    std::string cell_path(const PaperSet& set, const CellKey& key) const;
    void use(const PaperSet& set);
    Fitted fitted(const PaperSet& set, const std::string& spec, const Execution& execution) const;
    Fitted fit(const std::string& spec, const Execution& execution) const;
    static std::optional<Times> read_times(const std::string& path);
    static void save_times(const std::string& path, const Times& times);
    const Matrix<std::int64_t>& truth(const PaperSet& set, Metric metric, const Execution& execution);
    Matrix<float> compressed_queries(const PaperSet& set, const std::string& spec, const Execution& execution) const;
    double precision(const FlatIndex& index, const Matrix<std::int64_t>& nearest) const;
    Listed listed(const PaperSet& set, const std::string& spec, const Execution& execution) const;
    Listed list(const std::string& spec, const Execution& execution) const;
    Cell search_cell(const PaperSet& set, const CellKey& key, const Execution& execution);
    QuerySeconds quadratic_seconds(const Fitted& made, const FlatIndex& index) const;
    Cell multi_index_cell(const PaperSet& set, const CellKey& key, const Execution& execution);
    Cell retrieval_cell(const PaperSet& set, const CellKey& key, const Execution& execution) const;

    LaboratoryOptions options_;
    std::uint64_t machine_hash_;
    Run& run_;
    std::string set_ = {};  // whose vectors and truth are held
    PaperVectors vectors_ = {};
    std::map<Metric, Matrix<std::int64_t>> truth_ = {};
};

}  // namespace summand::cli
