// Vectors that are read in pieces, wherever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

class VectorReader;

/// Where vectors come from: a file, rows in memory, or whatever a function gives.
struct VectorSource {
    /// Rows [first, first + count); of one thread at a time, the same whenever they are asked for.
    using Read = std::function<Matrix<float>(std::size_t first, std::size_t count)>;

    VectorSource(MatrixView<float> vectors);  ///< borrowed
    VectorSource(const Matrix<float>& vectors) : VectorSource(vectors.view()) {}
    VectorSource(const VectorReader& reader);  ///< borrowed
    VectorSource(std::size_t rows, std::size_t columns, Read read, std::string name = "vectors");

    /// A vector file of any format (summand/io.h).
    static VectorSource file(const std::string& path);

    std::size_t rows = 0;
    std::size_t columns = 0;
    Read read = {};
    std::string name = "vectors";  ///< begins error messages
    std::string path = {};         ///< of the file, for Refine(flat); empty: there is none
};

/// `count` of `rows` drawn without replacement (all of them where there are fewer), ascending.
std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t count, std::uint64_t seed);

/// `count` of the vectors, drawn by `sample_rows`.
Matrix<float> sample_vectors(const VectorSource& source, std::size_t count, std::uint64_t seed);

/// Reads everything, in pieces, so that a stop request is noticed.
Matrix<float> read_all(const VectorSource& source, const Execution& execution = {});

}  // namespace summand
