#include "train/prepare.h"

#include "math/clusters.h"
#include "model/transform.h"
#include "summand/dictionaries.h"
#include "summand/error.h"

namespace summand {
namespace {

std::vector<float> mean_of(const Matrix<float>& vectors, const Execution& execution) {
    const ClusterSums all =
        sums_by_cluster(vectors.view(), std::vector<std::uint32_t>(vectors.rows(), 0), 1, execution);
    std::vector<float> mean(vectors.columns());
    for (std::size_t d = 0; d < mean.size(); ++d)
        mean[d] = static_cast<float>(all.sums[0][d] / static_cast<double>(vectors.rows()));
    return mean;
}

}  // namespace

Prepared prepare(MatrixView<float> vectors, TrainShape shape, bool unit_length, const Execution& execution) {
    require(shape.dictionaries >= 1 && shape.dictionaries <= kMaxDictionaries, "train: expected 1 to ",
            kMaxDictionaries, " dictionaries, got ", shape.dictionaries);
    require(shape.words >= 2 && shape.words <= kMaxWords, "train: expected 2 to ", kMaxWords,
            " words per dictionary, got ", shape.words);
    require(vectors.columns() > 0, "train: vectors have no dimensions");
    require(vectors.rows() >= shape.words, "train: expected at least as many vectors as words (", shape.words,
            "), got ", vectors.rows(), "; give more vectors or use fewer words");
    require_finite(vectors, "train");
    Prepared prepared{Matrix<float>(vectors.rows(), vectors.columns(),
                                    std::vector<float>(vectors.data(), vectors.row(vectors.rows()))),
                      {}};
    if (unit_length) scale_to_unit_length(prepared.vectors, "train");
    require_scorable(prepared.vectors.view(), "train");
    prepared.centre.assign(vectors.columns(), 0.0f);
    if (shape.centring == Centring::none) return prepared;
    prepared.centre = mean_of(prepared.vectors, execution);
    for (std::size_t i = 0; i < prepared.vectors.rows(); ++i)
        for (std::size_t d = 0; d < prepared.centre.size(); ++d) prepared.vectors[i][d] -= prepared.centre[d];
    return prepared;
}

}  // namespace summand
