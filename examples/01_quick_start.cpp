// Compress vectors to 8 bytes each and search them. With a file argument the vectors are read from it.
#include <summand/summand.h>

#include <iostream>
#include <random>

using namespace summand;

// 64 dimensions around 200 centres.
Matrix<float> some_vectors(std::size_t rows) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    Matrix<float> centres(200, 64), vectors(rows, 64);
    for (std::size_t i = 0; i < centres.size(); ++i) centres.data()[i] = 3 * normal(random);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t d = 0; d < 64; ++d) vectors[i][d] = centres[i % 200][d] + normal(random);
    return vectors;
}

int main(int count, char** arguments) try {
    const Matrix<float> base = count > 1 ? read_vectors(arguments[1]) : some_vectors(10'000);
    const Index index = build(base, "OPQ8(iterations=10)");

    const MatrixView<float> queries = base.view().slice(0, 5);
    const Neighbors found = index.search(queries, {.k = 3});
    for (std::size_t i = 0; i < queries.rows(); ++i)
        std::cout << "vector " << i << " is near " << found.ids[i][0] << ", " << found.ids[i][1] << ", "
                  << found.ids[i][2] << '\n';
} catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
