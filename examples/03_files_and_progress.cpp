// Save and load an index, search only some ids, watch training, and see a clear error.
#include <summand/summand.h>

#include <cstdio>
#include <iostream>
#include <random>

using namespace summand;

int main() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform;
    Matrix<float> base(2'000, 24);
    for (std::size_t i = 0; i < base.size(); ++i) base.data()[i] = uniform(random);

    BuildSettings settings;
    settings.execution.progress = [](const Progress& progress) {
        if (progress.step == progress.steps) std::cout << progress.stage << ": " << progress.steps << " steps\n";
    };
    const char* path = "03_index.smd";
    build(base, "PQ6x6", settings).save(path);
    const Index index = Index::open(path);
    std::remove(path);

    const IdFilter first_hundred = IdFilter::range(0, 100);
    const Neighbors found = index.search(base.view().slice(500, 1), {.k = 5, .filter = &first_hundred});
    for (const std::int64_t id : found.ids[0]) std::cout << id << ' ';
    std::cout << '\n';

    try {
        index.search(Matrix<float>(1, 23).view(), {.k = 5});
    } catch (const Error& error) {
        std::cout << "as it should be: " << error.what() << '\n';
    }
}
