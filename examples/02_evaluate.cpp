// Compare three methods at the same code size: recall against brute force, speed and memory.
#include <summand/summand.h>

#include <iostream>
#include <random>

using namespace summand;

// Dimensions that move together, as in most real data: what a rotation can use and plain PQ cannot.
Matrix<float> correlated_vectors(std::size_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    Matrix<float> vectors(rows, 32);
    for (std::size_t i = 0; i < rows; ++i) {
        const float first = 4 * normal(random), second = 4 * normal(random);
        for (std::size_t d = 0; d < 32; ++d) vectors[i][d] = (d % 2 ? first : second) + normal(random);
    }
    return vectors;
}

int main() {
    const Matrix<float> base = correlated_vectors(5'000, 1), queries = correlated_vectors(200, 2);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 100, Metric::euclidean);

    std::vector<Report> reports;
    for (const char* spec : {"PQ4", "OPQ4", "LOCQ4(iterations=4)"})
        reports.push_back(evaluate(build(base, spec), queries.view(), truth.ids.view(), {.k = 100}));
    std::cout << table(reports);
}
