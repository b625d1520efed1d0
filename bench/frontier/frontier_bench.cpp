// Searches on request, for bench/frontier/run.py: the index stays open between the turns of the other sides.
//
//     frontier_bench INDEX QUERIES K IDS clock|cpu THREADS
//
// and then on standard input, a line each: PROBES REACH REFINE batch|single. Answers with the seconds that all queries
// took, by the clock or of CPU time, and leaves their ids in the file IDS. Single queries use one thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>

#include "summand/index.h"
#include "summand/io.h"

namespace {

using namespace summand;

double now(bool cpu) {
    if (cpu) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Matrix<std::int64_t> one_by_one(const Index& index, const Matrix<float>& queries, const SearchOptions& options) {
    Matrix<std::int64_t> ids(queries.rows(), options.k);
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const Neighbors found = index.search(queries.view().slice(q, 1), options);
        std::copy_n(found.ids.data(), options.k, ids.row(q));
    }
    return ids;
}

}  // namespace

int main(int count, char** words) try {
    if (count != 7) throw Error("usage: frontier_bench INDEX QUERIES K IDS clock|cpu THREADS");
    const Index index = Index::open(words[1]);
    const Matrix<float> queries = read_vectors(words[2]);
    std::size_t probes = 0, refine = 0;
    float reach = 0;
    std::string how;
    const bool cpu = std::string(words[5]) == "cpu";
    while (std::cin >> probes >> reach >> refine >> how) {
        const unsigned threads = how == "single" ? 1 : static_cast<unsigned>(std::stoul(words[6]));
        SearchOptions options{
            .k = std::stoul(words[3]), .probes = probes, .reach = reach, .execution = {.threads = threads}};
        if (index.refinement()) options.refine = refine;
        const double start = now(cpu);
        const Matrix<std::int64_t> ids =
            how == "single" ? one_by_one(index, queries, options) : index.search(queries.view(), options).ids;
        const double seconds = now(cpu) - start;
        write_ids(words[4], ids.view());
        std::cout << seconds << std::endl;
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "frontier_bench: %s\n", error.what());
    return 1;
}
