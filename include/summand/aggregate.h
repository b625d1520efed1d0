// One vector of an image from its local descriptors x (SIFT and the like), by a vocabulary of K words learnt from many
// images:
//
//     VLAD      v_k = Σ_{x nearest to c_k} (x - c_k)
//     Fisher    v_k = Σ_x γ_k(x) (x - μ_k) / (σ_k √w_k)         γ_k(x): share of Gaussian k in the density of the
//     mixture at x
//
// then every value becomes sign(v)·√|v|, and the whole is scaled to length one. K·D values, D those of a descriptor, or
// of its first principal directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

enum class Aggregation : std::uint8_t { vlad, fisher };

std::string_view name(Aggregation kind);

/// Throws `Error` that lists the known names.
Aggregation parse_aggregation(std::string_view text);

/// All that training produces.
struct Vocabulary {
    Aggregation kind = Aggregation::vlad;
    std::vector<float> mean = {};        ///< of the descriptors, subtracted first
    Matrix<float> projection = {};       ///< D principal directions as rows, or empty for none
    Matrix<float> centres = {};          ///< K × D: of k-means, or the means of the Gaussians
    Matrix<float> variances = {};        ///< K × D, Fisher only
    std::vector<float> weights = {};     ///< K, Fisher only
    std::vector<double> objective = {};  ///< of the training: mean squared distance, or mean negative log-likelihood

    std::size_t descriptor_dimensions() const { return mean.size(); }
    std::size_t dimensions() const { return centres.rows() * centres.columns(); }  ///< of an image's vector

    friend bool operator==(const Vocabulary&, const Vocabulary&) = default;
};

struct VocabularyOptions {
    Aggregation kind = Aggregation::vlad;
    std::size_t words = 64;      ///< K
    std::size_t directions = 0;  ///< principal directions that are kept of the descriptors; 0: descriptors as they are
    int iterations = 25;         ///< of k-means, and of expectation and maximisation after it for Fisher
    std::uint64_t seed = 1;
    Execution execution = {};
};

/// From descriptors of many images, a row each.
Vocabulary train(MatrixView<float> descriptors, const VocabularyOptions& options);

/// The vector of one image; zeros where it has no descriptors.
std::vector<float> aggregate(const Vocabulary& vocabulary, MatrixView<float> descriptors,
                             const Execution& execution = {});

std::vector<std::byte> save(const Vocabulary& vocabulary);
void save(const std::string& path, const Vocabulary& vocabulary);
Vocabulary load_vocabulary(std::span<const std::byte> bytes, std::string_view name = "memory");
Vocabulary load_vocabulary(const std::string& path);

}  // namespace summand
