#include "train/cells.h"

#include <algorithm>
#include <utility>

#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "math/norms.h"
#include "summand/error.h"
#include "train/prepare.h"
#include "train/spec_options.h"
#include "train/wide_pairs.h"

namespace summand {
namespace {

KMeansOptions kmeans_options(const CellOptions& options, const TrainSettings& settings) {
    return {.clusters = options.words,
            .iterations = options.iterations,
            .seed = settings.seed,
            .stage = "cells",
            .execution = settings.execution};
}

// Cells of each group: one, and a share of the rest by the number of its vectors.
std::vector<std::uint64_t> group_begins(const std::vector<std::uint32_t>& group, std::size_t groups,
                                        std::size_t cells) {
    std::vector<std::size_t> counts(groups);
    for (const std::uint32_t g : group) ++counts[g];
    std::vector<std::uint64_t> begin{0};
    std::size_t members = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        members += counts[g];
        begin.push_back(g + 1 + (cells - groups) * members / group.size());
    }
    return begin;
}

Matrix<float> rows_where(MatrixView<float> vectors, const std::vector<std::uint32_t>& group, std::uint32_t wanted) {
    std::vector<float> values;
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        if (group[i] == wanted) values.insert(values.end(), vectors.row(i), vectors.row(i) + vectors.columns());
    const std::size_t rows = values.size() / vectors.columns();
    return {rows, vectors.columns(), std::move(values)};
}

// k-means of groups, then of the cells within each.
Partition train_grouped(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    require(options.groups <= options.words, "train: expected at most as many groups as cells (", options.words,
            "), got ", options.groups);
    KMeansOptions kmeans_of = kmeans_options(options, settings);
    kmeans_of.clusters = options.groups;
    KMeans coarse = kmeans(vectors, kmeans_of);
    Partition partition;
    partition.groups = std::move(coarse.centres);
    partition.group_begin = group_begins(coarse.assignment.centre, options.groups, options.words);
    partition.dictionaries.count = 1;
    partition.dictionaries.words = options.words;
    partition.dictionaries.rows = Matrix<float>(options.words, vectors.columns());
    for (std::uint32_t g = 0; g < options.groups; ++g) {
        const Matrix<float> members = rows_where(vectors, coarse.assignment.centre, g);
        kmeans_of.clusters = partition.group_begin[g + 1] - partition.group_begin[g];
        float* rows = partition.dictionaries.rows.row(partition.group_begin[g]);
        if (members.empty()) {  // its one cell
            std::copy_n(partition.groups.row(g), vectors.columns(), rows);
            continue;
        }
        const Matrix<float> centres = kmeans(members.view(), kmeans_of).centres;
        std::copy_n(centres.data(), centres.size(), rows);
    }
    partition.word_offsets = squared_norms(partition.dictionaries.rows.view());
    return partition;
}

Partition train_single(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    Partition partition;
    partition.dictionaries.count = 1;
    partition.dictionaries.words = options.words;
    partition.dictionaries.rows = kmeans(vectors, kmeans_options(options, settings)).centres;
    partition.word_offsets = squared_norms(partition.dictionaries.rows.view());
    return partition;
}

Matrix<float> columns_of(MatrixView<float> vectors, std::size_t begin, std::size_t end) {
    Matrix<float> part(vectors.rows(), end - begin);
    for (std::size_t i = 0; i < vectors.rows(); ++i) std::copy_n(vectors.row(i) + begin, end - begin, part.row(i));
    return part;
}

// k-means in either half of the dimensions; words are zero in the other half.
Matrix<float> halves(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    const std::size_t D = vectors.columns(), K = options.words;
    Matrix<float> rows(2 * K, D);
    for (std::size_t m = 0; m < 2; ++m) {
        const std::size_t begin = m * (D / 2), end = m == 0 ? D / 2 : D;
        const Matrix<float> part = columns_of(vectors, begin, end);
        const Matrix<float> centres = kmeans(part.view(), kmeans_options(options, settings)).centres;
        for (std::size_t k = 0; k < K; ++k) std::copy_n(centres.row(k), end - begin, rows.row(m * K + k) + begin);
    }
    return rows;
}

// The rotation of OPQ with two dictionaries of at most 256 words, then k-means in the halves of the rotated vectors;
// the words are rotated back, so that cells live where the vectors do.
Matrix<float> rotated_halves(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    const OpqOptions opq{.dictionaries = 2,
                         .words = std::min(options.words, kMaxWords),
                         .seed = settings.seed,
                         .execution = settings.execution};
    const Matrix<float> rotation = train(vectors, opq).rotation;
    const Matrix<float> rotated = multiply_transposed(vectors, rotation.view(), settings.execution);
    const Matrix<float> rows = halves(rotated.view(), options, settings);
    return multiply_transposed(rows.view(), transposed(rotation.view()).view(), settings.execution);
}

// Words around a centre: half of it goes into each dictionary. With c = y + centre,
// |c|² = |y|² + Σ_m 2 centre·y_m + |centre|².
Partition around(const std::vector<float>& centre, Partition partition) {
    const float norm = kernels().dot(centre.data(), centre.data(), centre.size());
    for (std::size_t w = 0; w < partition.word_offsets.size(); ++w) {
        float* word = partition.dictionaries.rows.row(w);
        partition.word_offsets[w] += 2 * kernels().dot(centre.data(), word, centre.size()) + norm / 2;
        for (std::size_t d = 0; d < centre.size(); ++d) word[d] += centre[d] / 2;
    }
    return partition;
}

Partition train_near_orthogonal(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    if (options.words <= kMaxWords) {
        Quantizer model = train(vectors, CompositeOptions{.constraint = Constraint::near_orthogonal,
                                                          .dictionaries = 2,
                                                          .words = options.words,
                                                          .seed = settings.seed,
                                                          .execution = settings.execution});
        return around(model.centre, {.dictionaries = std::move(model.dictionaries),
                                     .word_offsets = std::move(model.word_offsets),
                                     .orthogonal = false});
    }
    const Prepared centred = prepare(vectors, {2, 2}, false, settings.execution);
    Dictionaries start;
    start.count = 2;
    start.words = options.words;
    start.rows = rotated_halves(centred.vectors.view(), options, settings);
    return around(centred.centre,
                  train_wide_pairs(centred.vectors.view(), std::move(start),
                                   {.iterations = options.iterations, .execution = settings.execution}));
}

Partition train_pairs(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    require(vectors.columns() >= 2, "train: expected vectors of at least 2 dimensions for two dictionaries, got ",
            vectors.columns());
    if (options.coarse == "NOCQ") return train_near_orthogonal(vectors, options, settings);
    Partition partition;
    partition.dictionaries.count = 2;
    partition.dictionaries.words = options.words;
    partition.dictionaries.rows =
        options.coarse == "OPQ" ? rotated_halves(vectors, options, settings) : halves(vectors, options, settings);
    partition.word_offsets = squared_norms(partition.dictionaries.rows.view());
    return partition;
}

}  // namespace

CellOptions cell_options(const Spec& cells) {
    SpecOptions reader(cells);
    CellOptions options;
    const bool paired = cells.method == "IMI";
    options.dictionaries = paired ? 2 : 1;
    options.words = paired ? std::size_t{1} << cells.bits : cells.dictionaries;
    options.iterations = reader.integer("iterations", options.iterations, 0, 10000);
    options.coding = reader.choice<Coding>("coding", {{"residual", Coding::residual}, {"plain", Coding::plain}});
    if (paired)
        options.coarse = reader.choice<std::string>("coarse", {{"PQ", "PQ"}, {"OPQ", "OPQ"}, {"NOCQ", "NOCQ"}});
    else
        options.groups = static_cast<std::size_t>(reader.integer("groups", 0, 0, 1 << 16));
    reader.finish();
    return options;
}

Partition train_cells(MatrixView<float> vectors, const CellOptions& options, const TrainSettings& settings) {
    require(!vectors.empty(), "train: expected vectors to learn cells from, got none");
    require(options.words <= vectors.rows(), "train: expected a vector or more to learn each of ", options.words,
            options.dictionaries == 1 ? " cells" : " words of cells", " from, got ", vectors.rows(),
            " vectors; learn from more of them (about ", kVectorsPerCell * options.words, "), or ask for fewer cells");
    if (options.groups > 0) return train_grouped(vectors, options, settings);
    return options.dictionaries == 1 ? train_single(vectors, options, settings)
                                     : train_pairs(vectors, options, settings);
}

}  // namespace summand
