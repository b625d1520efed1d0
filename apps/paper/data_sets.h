// The data sets of the paper's experiments: found under their usual names, and read as far as a run uses them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocols.h"
#include "summand/matrix.h"
#include "summand/vector_source.h"

namespace summand::cli {

/// Files of one set.
struct DataFiles {
    std::string name;           ///< "sift", "mnist", or that of the folder
    std::string base, queries;  ///< paths
    std::string learn;          ///< the base where there is no file to learn from
    bool usual_names = false;   ///< as their publishers name them, so that a known name means known data
    std::map<Protocol, std::string> relevance = {};  ///< lists of relevant images, see docs/retrieval.md
};

/// Sets in a folder and in the folders inside it, by name:
///     NAME_base NAME_query NAME_learn (.fvecs .bvecs .fbin .u8bin .i8bin .npy), or without NAME_, which is then that
///     of the folder; "queries" for "query"; without a learn file the base is learnt from train-images-idx3-ubyte and
///     t10k-images-idx3-ubyte, plain or .gz: "fashion-mnist" in a folder whose name has "fashion" in it, "mnist"
///     elsewhere
/// Beside base and queries, lists of relevant images: NAME_relevance_holidays.txt and NAME_relevance_ukbench.txt, or
/// without NAME_.
/// Only those in `names` unless that is empty. Throws, and says what was looked for, where one is missing or none is
/// there.
std::vector<DataFiles> find_data_sets(const std::string& folder, const std::vector<std::string>& names);

/// Most rows that are used. Others are left out by chance; of "bigann" the first ones are taken, as the paper does.
struct SampleSizes {
    std::size_t base = 1'000'000;
    std::size_t learn = 100'000;
    std::size_t queries = 10'000;
    std::map<std::string, std::size_t> learn_of = {};  ///< in place of `learn`, by the name of a set
};

enum class Extent : std::uint8_t { whole, slice };  ///< a slice is what variants and slow methods are measured on

/// What is known of a set, or of a slice of it, before its cells are measured.
struct PaperSet {
    DataFiles files;
    SampleSizes sizes = {};  ///< rows used, at most
    std::string name;        ///< of its cells: that of the files, or "NAME-slice"
    std::string title;       ///< "1M SIFT", or the name; a slice says so
    std::string known = {};  ///< the paper's name of such files, whatever part of them is used
    std::string published;   ///< the same where the paper uses as many rows of each; empty: other data, or fewer
    std::size_t dimensions = 0;
    std::size_t base = 0, learn = 0, queries = 0;  ///< rows used
    std::size_t base_rows = 0;                     ///< rows of the file
    std::uint64_t hash = 0;                        ///< of all values used
    std::map<Protocol, std::uint64_t> lists = {};  ///< a hash of the lists of relevant images of that protocol
};

/// The base is read from its file in pieces, but for a sample of it, which is held.
struct PaperVectors {
    Matrix<float> sample = {}, learn = {}, queries = {};
    std::optional<VectorSource> base = {};
};

PaperVectors read_paper_vectors(const DataFiles& files, const SampleSizes& sizes, std::uint64_t seed);

/// Reads the vectors and forgets them again. Throws for lists of relevant images that do not fit the base.
PaperSet describe_set(const DataFiles& files, const SampleSizes& sizes, Extent extent, std::uint64_t seed);

}  // namespace summand::cli
