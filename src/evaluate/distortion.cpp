// The quantization error, decoded in chunks so that the approximations never exist all at once.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "model/decode.h"
#include "model/transform.h"
#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

constexpr std::size_t kChunk = 1024, kPiece = 64 * kChunk;

// A model of unit vectors approximates x / |x|.
double scale_of(const Quantizer& quantizer, std::span<const float> vector) {
    if (!quantizer.unit_length) return 1;
    const double squares = squared_length(vector);
    return squares > 0 ? 1 / std::sqrt(squares) : 1;
}

double squared_error(std::span<const float> vector, double scale, std::span<const float> approximation) {
    double sum = 0;
    for (std::size_t d = 0; d < vector.size(); ++d) {
        const double difference = scale * vector[d] - approximation[d];
        sum += difference * difference;
    }
    return sum;
}

}  // namespace

double distortion(const Quantizer& quantizer, const VectorSource& vectors, const Codes& codes,
                  const Execution& execution) {
    require(vectors.columns == quantizer.dimensions(), "distortion: expected vectors of ", quantizer.dimensions(),
            " dimensions, got ", vectors.columns);
    require(vectors.rows == codes.size(), "distortion: expected a code for each of ", vectors.rows, " vectors, got ",
            codes.size());
    require_own_codes(quantizer, codes, "distortion");
    require(vectors.rows > 0, "distortion: expected at least one vector, got none");
    std::vector<double> sums((vectors.rows + kChunk - 1) / kChunk);
    for (std::size_t begin = 0; begin < vectors.rows; begin += kPiece) {
        const Matrix<float> piece = vectors.read(begin, std::min(kPiece, vectors.rows - begin));
        parallel_ranges(execution, piece.rows(), kChunk, [&](std::size_t first, std::size_t last) {
            const Matrix<float> decoded =
                decode_rows(quantizer, codes.rows.view().slice(begin + first, last - first), {});
            double& sum = sums[(begin + first) / kChunk];
            for (std::size_t i = first; i < last; ++i)
                sum += squared_error(piece.view()[i], scale_of(quantizer, piece.view()[i]), decoded[i - first]);
        });
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(vectors.rows);
}

}  // namespace summand
