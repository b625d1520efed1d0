// Training of partitions: the cells of inverted indexes.
#pragma once

#include "summand/inverted_index.h"

namespace summand {

/// Options of the cells of a spec, settled.
struct CellOptions {
    std::size_t dictionaries = 1;
    std::size_t words = 1024;
    int iterations = 20;        ///< of k-means
    std::size_t groups = 0;     ///< IVF: cells are learnt and looked for in groups; 0: all at once
    std::string coarse = "PQ";  ///< IMI: PQ, OPQ or NOCQ
    Coding coding = Coding::residual;
};

inline constexpr std::size_t kVectorsPerCell = 40;  ///< cells learn well from so many

/// Throws `Error` for an option that is wrong or unknown.
CellOptions cell_options(const Spec& cells);

/// The vectors are as the index will see them: scaled for cosine.
Partition train_cells(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings);

}  // namespace summand
