// Searches on request, for bench/frontier/run.py: the index stays open between the turns of the other sides.
//
//     frontier_bench INDEX QUERIES IDS clock|cpu
//
// and then on standard input, a line each: K PROBES REACH REFINE MODE COUNT, for the first COUNT queries. It leaves
// their ids in the file IDS and answers, with seconds by the clock or of CPU time:
//
//     batchN    N threads                             the seconds of all queries
//     single    one by one, by one thread             the same, and those that 99 of 100 queries stay below
//     cold      one by one, and before each of them   the same, always by the clock, and how many pages of 4,096 bytes
//               the vectors of Refine(flat) leave     a query made the system read
//               the cache of the system
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "summand/index.h"
#include "summand/io.h"

namespace {

using namespace summand;

double now(bool cpu) {
    if (cpu) {
        ::timespec time{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The bytes that the device was read for by this process.
double bytes_read() {
    std::ifstream file("/proc/self/io");
    std::string name;
    double value = 0;
    while (file >> name >> value)
        if (name == "read_bytes:") return value;
    throw Error("/proc/self/io: expected read_bytes");
}

// The vectors that Refine(flat) reads.
class Vectors {
public:
    explicit Vectors(const Index& index) {
        if (!index.refinement()) return;
        if (const auto* file = std::get_if<RefineFile>(&*index.refinement()))
            descriptor_ = ::open(vector_file(file->path).c_str(), O_RDONLY | O_CLOEXEC);
    }

    void leave_cache() const {
        if (::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED) != 0)
            throw Error("cold: expected an index with Refine(flat), built with the full path of its vectors");
    }

private:
    int descriptor_ = -1;  // kept until the process ends
};

struct Timed {
    Matrix<std::int64_t> ids;
    double seconds = 0, slow = 0, pages = 0;
};

Timed one_by_one(const Index& index, MatrixView<float> queries, const SearchOptions& options, bool cpu,
                 const Vectors* cold) {
    Timed result{.ids = {queries.rows(), options.k}};
    std::vector<double> seconds(queries.rows());
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        if (cold) cold->leave_cache();
        const double bytes = cold ? bytes_read() : 0, start = now(cpu);
        const Neighbors found = index.search(queries.slice(q, 1), options);
        seconds[q] = now(cpu) - start;
        result.seconds += seconds[q];
        if (cold) result.pages += (bytes_read() - bytes) / 4096 / static_cast<double>(queries.rows());
        std::copy_n(found.ids.data(), options.k, result.ids.row(q));
    }
    std::sort(seconds.begin(), seconds.end());
    result.slow = seconds[seconds.size() * 99 / 100];
    return result;
}

Timed batch(const Index& index, MatrixView<float> queries, const SearchOptions& options, bool cpu) {
    const double start = now(cpu);
    Matrix<std::int64_t> ids = index.search(queries, options).ids;
    return {.ids = std::move(ids), .seconds = now(cpu) - start};
}

}  // namespace

int main(int count, char** words) try {
    if (count != 5) throw Error("usage: frontier_bench INDEX QUERIES IDS clock|cpu");
    const Index index = Index::open(words[1]);
    const Matrix<float> queries = read_vectors(words[2]);
    const Vectors vectors(index);
    const bool cpu = std::string(words[4]) == "cpu";
    std::size_t k = 0, probes = 0, refine = 0, asked = 0;
    float reach = 0;
    std::string mode;
    while (std::cin >> k >> probes >> reach >> refine >> mode >> asked) {
        const bool in_batch = mode.starts_with("batch");
        const auto threads = in_batch ? static_cast<unsigned>(std::stoul(mode.substr(5))) : 1u;
        SearchOptions options{.k = k, .probes = probes, .reach = reach, .execution = {.threads = threads}};
        if (index.refinement()) options.refine = refine;
        const MatrixView<float> some = queries.view().slice(0, std::min(asked, queries.rows()));
        const Timed timed = in_batch         ? batch(index, some, options, cpu)
                            : mode == "cold" ? one_by_one(index, some, options, false, &vectors)
                                             : one_by_one(index, some, options, cpu, nullptr);
        write_ids(words[3], timed.ids.view());
        std::cout << timed.seconds << " " << timed.slow << " " << timed.pages << std::endl;
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "frontier_bench: %s\n", error.what());
    return 1;
}
