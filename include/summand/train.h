// Training: vectors in, a Quantizer out. Each method has its options; specs name them in a string:
//
//     train(base.view(), PqOptions{.dictionaries = 8});
//     train(base.view(), parse_spec("OPQ8(iterations=30)"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"
#include "summand/recipe.h"

namespace summand {

/// Which dimensions form a block: neighbours (natural) or every M-th (structured).
enum class BlockOrder { natural, structured };

/// Product quantization: k-means in each of M blocks of dimensions.
struct PqOptions {
    std::size_t dictionaries = 8;  ///< M
    std::size_t words = 256;       ///< K
    BlockOrder order = BlockOrder::natural;
    int iterations = 25;       ///< of k-means
    bool unit_length = false;  ///< for cosine
    std::uint64_t seed = 1;
    Execution execution = {};
};

/// Where the rotation of Cartesian k-means starts; `automatic` tries both and keeps the better.
enum class RotationStart { automatic, identity, pca };

/// Cartesian k-means, also called optimised product quantization: PQ after a learnt rotation.
struct OpqOptions {
    std::size_t dictionaries = 8;
    std::size_t words = 256;
    RotationStart start = RotationStart::automatic;
    int first_iterations = 6;  ///< of k-means before the first rotation
    int iterations = 40;       ///< rotation and k-means steps
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
};

enum class PenaltyRule {
    automatic,  ///< from the spread of near neighbours in the training set
    validate,   ///< the one of several with which held-out vectors find their neighbours earliest
    fixed,      ///< the number given
};

/// The vector that is subtracted first; `learnt` for NOCQ, and for LOCQ without a query model.
enum class Translation { mean, none, learnt };

/// How CQ keeps the term that look-ups do not give: in a float with each code, as one more look-up, or not at all.
enum class BiasStorage { float32, byte, dropped };

/// A training between two iterations: enough to go on with the identical result.
struct Checkpoint {
    std::uint64_t task = 0;  ///< hash of data and options; another task is refused
    int step = 0;            ///< finished iterations, as many as `objective` has values
    double penalty = 0;      ///< μ
    double epsilon = 0;
    double theta = 0, expectation = 1;
    std::vector<float> translation = {};  ///< beyond the mean
    Dictionaries dictionaries = {};
    std::vector<float> word_offsets = {};
    Matrix<std::uint8_t> codes = {};          ///< of the training vectors
    std::vector<double> objective = {};       ///< so far
    Matrix<float> rotation = {};              ///< OCQ: of the best solution so far with orthogonal dictionaries
    Dictionaries blocks = {};                 ///< its words; the other methods leave both empty
    Matrix<float> anchor = {};                ///< what words are pulled to, as Dictionaries::rows; OCQ leaves it empty
    std::vector<double> anchor_offsets = {};  ///< and their offsets, beyond the squared lengths of those words
    double anchor_weight = 0;                 ///< and how many vectors that counts as

    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// The composite family: approximation by a sum of dense words.
struct CompositeOptions {
    Constraint constraint = Constraint::learnt_offsets;
    std::size_t dictionaries = 8;
    std::size_t words = 256;
    std::optional<int> iterations = {};  ///< of dictionaries and codes by turns; empty: the recipe's
    std::optional<Recipe> recipe = {};   ///< empty: the default of the method
    WarmStart start = WarmStart::automatic;
    PenaltyRule rule = PenaltyRule::automatic;
    double penalty = 0;                       ///< μ, where the rule is `fixed`
    bool learn_epsilon = true;                ///< NOCQ; false: ε = 0
    std::size_t nonzeros = 0;                 ///< NOCQ: values of all words that may differ from zero; 0: all (SNOCQ)
    std::optional<double> theta = {};         ///< LOCQ: θ of docs/methods/locq.md; empty: what searches best
    std::optional<double> expectation = {};   ///< LOCQ: share of x that a query near x keeps; empty: what searches best
    BiasStorage bias = BiasStorage::float32;  ///< CQ
    /// The start of each word counts as that many vectors that use it; empty: found on held-out vectors where there are
    /// few to learn from, else 0.
    std::optional<double> anchor = {};
    double anisotropy = 1;  ///< CQ: weight of the error along a vector against that across it, for inner products
    Translation translation = Translation::mean;
    Effort effort = Effort::standard;  ///< that `encode` will use
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
    const Checkpoint* resume = nullptr;                      ///< borrowed
    std::function<void(const Checkpoint&)> checkpoint = {};  ///< called after every iteration
};

/// Options of the algorithm as the paper prints it, for NOCQ and CQ: start from PQ, μ by validation, no centre, codes
/// by sweeps alone. The spec says preset=paper.
CompositeOptions paper_options(Constraint constraint, std::size_t dictionaries);

Quantizer train(MatrixView<float> vectors, const PqOptions& options);
Quantizer train(MatrixView<float> vectors, const OpqOptions& options);
Quantizer train(MatrixView<float> vectors, const CompositeOptions& options);

/// A method and its options as users write them: `PQ8`, `OPQ16x4`, `PQ8(order=structured,iterations=50)`.
struct Spec {
    std::string method = {};                     ///< name in the registry
    std::size_t dictionaries = 8;                ///< M; the number of bits for ITQ
    std::size_t bits = 8;                        ///< of a code: K = 2^bits
    std::map<std::string, std::string> options;  ///< as written

    std::size_t words() const { return std::size_t{1} << bits; }
};

/// Throws `Error` that names the part that is wrong and lists what is known.
Spec parse_spec(std::string_view text);
std::string to_string(const Spec& spec);

/// Settings of a training that are not part of a spec.
struct TrainSettings {
    Metric metric = Metric::euclidean;  ///< cosine: vectors are scaled to length one
    bool residuals = false;             ///< what is learnt is what other words leave of the vectors
    std::uint64_t seed = 1;
    Execution execution = {};
    const Checkpoint* resume = nullptr;                      ///< resumable methods; borrowed
    std::function<void(const Checkpoint&)> checkpoint = {};  ///< resumable methods
};

/// Throws `Error` where the options are wrong whatever the vectors are; `train` does the same first.
void check(const Spec& spec, const TrainSettings& settings = {});

Quantizer train(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings = {});

struct MethodInfo {
    std::string_view name;
    std::string_view summary;                    ///< one line
    std::vector<std::string_view> options = {};  ///< "iterations=25", "order=natural|structured" …
    bool resumable = false;                      ///< its training makes checkpoints and goes on from them
};

/// All methods of this build, in the order they are shown to users.
std::vector<MethodInfo> methods();

}  // namespace summand
