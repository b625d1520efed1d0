// Training: vectors in, a Quantizer out. Each method has its options; specs name them in a string:
//
//     train(base.view(), PqOptions{.dictionaries = 8});
//     train(base.view(), parse_spec("OPQ8(iterations=30)"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

/// Which dimensions form a block: neighbours (natural) or every M-th (structured).
enum class BlockOrder { natural, structured };

/// Product quantization: k-means in each of M blocks of dimensions.
struct PqOptions {
    std::size_t dictionaries = 8;          ///< M
    std::size_t words = 256;               ///< K
    BlockOrder order = BlockOrder::natural;
    int iterations = 25;                   ///< of k-means
    bool unit_length = false;              ///< for cosine
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
    int iterations = 40;                   ///< rotation and k-means steps
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
};

Quantizer train(MatrixView<float> vectors, const PqOptions& options);
Quantizer train(MatrixView<float> vectors, const OpqOptions& options);

/// A method and its options as users write them: `PQ8`, `OPQ16x4`, `PQ8(order=structured,iterations=50)`.
struct Spec {
    std::string method = {};                          ///< name in the registry
    std::size_t dictionaries = 8;                ///< M
    std::size_t bits = 8;                        ///< of a code: K = 2^bits
    std::map<std::string, std::string> options;  ///< as written

    std::size_t words() const { return std::size_t{1} << bits; }
};

/// Throws `Error` that names the part that is wrong and lists what is known.
Spec parse_spec(std::string_view text);
std::string to_string(const Spec& spec);

/// Settings of a training that are not part of a spec.
struct TrainSettings {
    Metric metric = Metric::euclidean;           ///< cosine: vectors are scaled to length one
    std::uint64_t seed = 1;
    Execution execution = {};
};

Quantizer train(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings = {});

struct MethodInfo {
    std::string_view name;
    std::string_view summary;                    ///< one line
    std::vector<std::string_view> options = {};       ///< "iterations=25", "order=natural|structured" …
};

/// All methods of this build, in the order they are shown to users.
std::vector<MethodInfo> methods();

}  // namespace summand
