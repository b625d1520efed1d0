// Trains and searches for bench/recipe/run.py, which talks to it through lines on standard input.
//
//     recipe_bench FOLDER LEARN BASE QUERIES
//
// LEARN, BASE and QUERIES are numbers of vectors. The base vectors and the queries are different rows of the folder's
// base file; where the learn file holds the same vectors, other rows of it are learnt from. A line `SEED SPEC` is
// answered by `RECALL@1 RECALL@10 RECALL@100 DISTORTION SECONDS HASH`: the seed draws the rows and starts the training;
// SECONDS is the CPU time of the training.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

#include "summand/summand.h"

namespace {

using namespace summand;

std::string file_of(const std::string& folder, const std::string& name) {
    for (const char* suffix : {".bvecs", ".fvecs"})
        if (std::filesystem::exists(folder + "/" + name + suffix)) return folder + "/" + name + suffix;
    throw Error(folder + ": expected " + name + ".bvecs or .fvecs");
}

Matrix<float> rows_of(const Matrix<float>& from, std::size_t first, std::size_t count) {
    Matrix<float> rows(count, from.columns());
    std::copy_n(from.row(first), rows.size(), rows.data());
    return rows;
}

/// Rows in an order that the seed decides.
Matrix<float> shuffled(const VectorReader& reader, std::size_t count, std::uint64_t seed) {
    Matrix<float> rows = sample_vectors(reader, count, seed);
    std::uint64_t state = seed * 2654435769u + 1;
    for (std::size_t i = rows.rows(); i > 1; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap_ranges(rows.row(i - 1), rows.row(i - 1) + rows.columns(), rows.row((state >> 33) % i));
    }
    return rows;
}

class Bench {
public:
    Bench(const std::string& folder, std::size_t learn, std::size_t base, std::size_t queries)
        : base_file_(file_of(folder, "base")),
          learn_file_(file_of(folder, "learn")),
          learn_(learn),
          base_(base),
          queries_(queries) {
        same_ = base_file_.rows() == learn_file_.rows() && base_file_.read(0, 1) == learn_file_.read(0, 1);
    }

    std::string answer(std::uint64_t seed, const std::string& spec) const {
        const Matrix<float> drawn = shuffled(base_file_, base_ + queries_ + (same_ ? learn_ : 0), seed);
        const Matrix<float> base = rows_of(drawn, 0, base_), queries = rows_of(drawn, base_, queries_);
        const Matrix<float> learn =
            same_ ? rows_of(drawn, base_ + queries_, learn_) : sample_vectors(learn_file_, learn_, seed);
        const std::clock_t begin = std::clock();
        const Quantizer model = train(learn.view(), parse_spec(spec), {.seed = seed});
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        const Codes codes = encode(model, base.view());
        const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
        const Neighbors found = FlatIndex(model, codes, Metric::euclidean).search(queries.view(), {.k = 100});
        std::ostringstream line;
        line << std::setprecision(8);
        for (const std::size_t answers : {1, 10, 100}) line << recall(found, truth.ids.view(), answers) << ' ';
        line << distortion(model, base.view(), codes) << ' ' << seconds << ' ' << std::hex << identity(model);
        return line.str();
    }

private:
    VectorReader base_file_, learn_file_;
    std::size_t learn_, base_, queries_;
    bool same_ = false;
};

}  // namespace

int main(int count, char** words) {
    try {
        require(count == 5, "usage: recipe_bench FOLDER LEARN BASE QUERIES");
        const Bench bench(words[1], std::stoul(words[2]), std::stoul(words[3]), std::stoul(words[4]));
        std::uint64_t seed;
        std::string spec;
        while (std::cin >> seed >> spec) std::cout << bench.answer(seed, spec) << std::endl;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
