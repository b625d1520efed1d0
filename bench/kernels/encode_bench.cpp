// Times encoding for bench/encode/run.py, which talks to it through lines on standard input and reads one number per
// line on standard output. All on one thread.
//
//     encode EFFORT        seconds to encode all vectors: fast, default or best
//     distortion EFFORT    mean squared error of those codes
//     products             seconds of the matrix products of all vectors and all words, in the encoder's pieces
//     peak                 multiplications and additions per second of a large matrix product
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

#include "math/blas.h"
#include "summand/summand.h"

namespace {

using namespace summand;

template <class Work>
double seconds(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class EncodeBench {
public:
    EncodeBench(const std::string& model, const std::string& vectors, std::size_t count)
        : model_(load_quantizer(model)), vectors_(read_vectors(vectors)) {
        rows_ = std::min(count, vectors_.rows());
    }

    double answer(const std::string& line) {
        std::istringstream words(line);
        std::string what, effort;
        words >> what >> effort;
        if (what == "products") return products();
        if (what == "peak") return peak();
        model_.encoder.effort = parse_effort(effort);
        if (what == "distortion") return distortion(model_, view(), encoded());
        require(what == "encode", "encode_bench: unknown request '", what, "'");
        return seconds([&] { encoded(); });
    }

private:
    static constexpr std::size_t kPeakSize = 1024;

    MatrixView<float> view() const { return vectors_.view().slice(0, rows_); }
    Codes encoded() const { return encode(model_, view(), {.execution = {.threads = 1}}); }

    double products() const {
        const Dictionaries& words = model_.dictionaries;
        Matrix<float> result(kRowBlock, words.words);
        return seconds([&] {
            for (std::size_t first = 0; first < rows_; first += kRowBlock)
                for (std::size_t m = 0; m < words.count; ++m)
                    row_block_products(-2.0f, view().row(first), std::min(kRowBlock, rows_ - first), words.word(m, 0),
                                       words.words, words.dimensions(), result.data());
        });
    }

    static double peak() {
        Matrix<float> a(kRowBlock, kPeakSize), b(kPeakSize, kPeakSize), c(kRowBlock, kPeakSize);
        for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = static_cast<float>(i % 97);
        std::copy_n(b.data(), a.size(), a.data());
        double best = 1e30;
        for (int round = 0; round < 20; ++round)
            best = std::min(best, seconds([&] {
                                row_block_products(1, a.data(), kRowBlock, b.data(), kPeakSize, kPeakSize, c.data());
                            }));
        return 2.0 * kRowBlock * kPeakSize * kPeakSize / best;
    }

    Quantizer model_;
    Matrix<float> vectors_;
    std::size_t rows_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::cerr << "usage: encode_bench MODEL VECTORS COUNT\n";
        return 2;
    }
    try {
        EncodeBench bench(arguments[1], arguments[2], std::stoul(arguments[3]));
        for (std::string line; std::getline(std::cin, line);) std::cout << bench.answer(line) << std::endl;
    } catch (const std::exception& error) {
        std::cerr << "encode_bench: " << error.what() << "\n";
        return 1;
    }
}
