// Trains on few vectors for bench/few/run.py, which talks to it through lines on standard input and reads one number
// per line on standard output. The vectors of one file are divided, in random order: queries, vectors to search, and
// vectors to learn from.
//
//     train SPEC COUNT     processor seconds to learn a model from that many vectors
//     error                mean squared error of the searched vectors with the last model
//     recall R             share of queries whose true neighbour is among the first R answers
#include <algorithm>
#include <ctime>
#include <iostream>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "summand/summand.h"

namespace {

using namespace summand;

class FewBench {
public:
    FewBench(const std::string& path, std::size_t queries, std::size_t searched) {
        const Matrix<float> all = read_vectors(path);
        require(all.rows() > queries + searched, "few_bench: expected more than ", queries + searched, " vectors, got ",
                all.rows());
        std::vector<std::size_t> order(all.rows());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
        shuffled_ = Matrix<float>(all.rows(), all.columns());
        for (std::size_t n = 0; n < order.size(); ++n) std::copy_n(all.row(order[n]), all.columns(), shuffled_.row(n));
        queries_ = shuffled_.view().slice(0, queries);
        searched_ = shuffled_.view().slice(queries, searched);
        learn_ = shuffled_.view().slice(queries + searched, all.rows() - queries - searched);
        truth_ = exact_neighbors(searched_, queries_, 1, Metric::euclidean);
    }

    double answer(const std::string& line) {
        std::istringstream words(line);
        std::string what, spec;
        std::size_t number = 0;
        words >> what;
        if (what == "train") {
            words >> spec >> number;
            return learn(spec, number);
        }
        require(model_.has_value(), "few_bench: nothing is trained yet");
        if (what == "error") return distortion(*model_, searched_, codes_);
        words >> number;
        require(what == "recall" && number > 0, "few_bench: unknown request '", line, "'");
        return recall(number);
    }

private:
    double learn(const std::string& spec, std::size_t count) {
        require(count <= learn_.rows(), "few_bench: expected at most ", learn_.rows(), " vectors, got ", count);
        const std::clock_t begin = std::clock();
        model_ = train(learn_.slice(0, count), parse_spec(spec));
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        codes_ = encode(*model_, searched_);
        return seconds;
    }

    double recall(std::size_t answers) const {
        const FlatIndex index(*model_, codes_, Metric::euclidean);
        const Report found = evaluate(index, queries_, truth_.ids.view(), {.k = answers});
        for (const auto& row : found.recalls)
            if (row.truths == 1 && row.answers == answers) return row.recall;
        throw Error("few_bench: no recall is reported for that many answers");
    }

    Matrix<float> shuffled_;
    MatrixView<float> queries_, searched_, learn_;
    Neighbors truth_;
    std::optional<Quantizer> model_;
    Codes codes_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        require(argc == 4, "usage: few_bench VECTORS QUERIES SEARCHED");
        FewBench bench(argv[1], std::stoul(argv[2]), std::stoul(argv[3]));
        for (std::string line; std::getline(std::cin, line);) std::cout << bench.answer(line) << std::endl;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
