// Uses each part of the installed library once, so that every private dependency is linked.
#include <summand/summand.h>

#include <cstdio>
#include <random>

int main() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    summand::Matrix<float> base(2000, 16);
    for (std::size_t i = 0; i < base.size(); ++i) base.data()[i] = normal(random);

    const summand::Index index = summand::build(base, "OPQ4");
    const auto copy = summand::Index::from_bytes(index.to_bytes());
    const auto queries = base.view().slice(0, 100);
    const auto truth = summand::exact_neighbors(base.view(), queries, 10, summand::Metric::euclidean);
    const auto report = summand::evaluate(copy, queries, truth.ids.view(), {.k = 10});
    std::fputs(summand::table({report}).c_str(), stdout);
    return report.recall_at(10) > 0.5 ? 0 : 1;
}
