#include "summand/vector_source.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {

namespace {

constexpr std::size_t kPieceBytes = 64u << 20;

}

VectorSource::VectorSource(MatrixView<float> vectors)
    : VectorSource(vectors.rows(), vectors.columns(), [vectors](std::size_t first, std::size_t count) {
          return Matrix<float>(count, vectors.columns(), {vectors.row(first), vectors.row(first + count)});
      }) {}

VectorSource::VectorSource(std::size_t row_count, std::size_t column_count, Read read_rows, std::string source_name)
    : rows(row_count), columns(column_count), read(std::move(read_rows)), name(std::move(source_name)) {}

VectorSource::VectorSource(const VectorReader& reader)
    : VectorSource(
          reader.rows(), reader.columns(),
          [&reader](std::size_t first, std::size_t count) { return reader.read(first, count); }, reader.path()) {
    if (vector_file(name) != "-") path = name;
}

VectorSource VectorSource::file(const std::string& path) {
    auto reader = std::make_shared<const VectorReader>(path);
    VectorSource source(
        reader->rows(), reader->columns(),
        [reader](std::size_t first, std::size_t count) { return reader->read(first, count); }, path);
    if (vector_file(path) != "-") source.path = path;
    return source;
}

std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    return sample_without_replacement(rows, count, random);
}

Matrix<float> sample_vectors(const VectorSource& source, std::size_t count, std::uint64_t seed) {
    const std::vector<std::size_t> rows = sample_rows(source.rows, count, seed);
    Matrix<float> result(rows.size(), source.columns);
    for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {  // a run of consecutive rows at a time
        for (end = i + 1; end < rows.size() && rows[end] == rows[end - 1] + 1; ++end) {
        }
        const Matrix<float> run = source.read(rows[i], end - i);
        require(run.rows() == end - i && run.columns() == source.columns, source.name, ": expected ", end - i,
                " rows of ", source.columns, " values from row ", rows[i], " on, got ", run.rows(), " of ",
                run.columns());
        std::copy_n(run.data(), run.size(), result.row(i));
    }
    return result;
}

Matrix<float> read_all(const VectorSource& source, const Execution& execution) {
    std::vector<float> values;
    values.reserve(source.rows * source.columns);
    const std::size_t size = std::max<std::size_t>(1, kPieceBytes / (sizeof(float) * source.columns));
    for (std::size_t first = 0; first < source.rows; first += size) {
        check_stop(execution);
        const Matrix<float> part = source.read(first, std::min(size, source.rows - first));
        values.insert(values.end(), part.values().begin(), part.values().end());
    }
    return {source.rows, source.columns, std::move(values)};
}

}  // namespace summand
