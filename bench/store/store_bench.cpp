// Measures an index in a folder, for bench/store/run.py: a line of a name and a number each.
//
//     store_bench search|add BASE QUERIES FOLDER SPEC
//
// What is compared is measured in turns; of each the best turn counts. Speeds are per second of CPU time, which other
// programs on the machine take less from than from time on the clock, except where a name says `wall`.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "summand/summand.h"

namespace {

using namespace summand;
namespace fs = std::filesystem;

constexpr std::size_t kSegments = 20, kCommit = 1000, kCommits = 20, kTurns = 7;

struct Seconds {
    double cpu = std::numeric_limits<double>::infinity(), wall = cpu;

    void take_best(const Seconds& other) {
        cpu = std::min(cpu, other.cpu);
        wall = std::min(wall, other.wall);
    }
};

template <class Work>
Seconds seconds_of(const Work& work) {
    const Stopwatch watch;
    const std::clock_t before = std::clock();
    work();
    return {static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, watch.seconds()};
}

void print(const std::string& name, double value) { std::cout << name << " " << value << "\n" << std::flush; }

LivingIndex created(const std::string& folder, const Matrix<float>& base, const std::string& spec) {
    return LivingIndex::create(folder, base, spec, {.learn_size = 50000});
}

LivingIndex filled(const std::string& folder, const Matrix<float>& base, const std::string& spec) {
    LivingIndex index = created(folder, base, spec);
    const std::size_t part = base.rows() / kSegments;
    for (std::size_t i = 0; i < kSegments; ++i) index.add(base.view().slice(i * part, part));
    return index;
}

void measure_removal(LivingIndex& index) {
    index.set_commit_every(0);
    std::vector<std::int64_t> gone(index.size() / 10);
    for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = static_cast<std::int64_t>(i * 10);
    const std::size_t single = std::min<std::size_t>(gone.size(), 10000);
    const Seconds seconds = seconds_of([&] {
        for (std::size_t i = 0; i < single; ++i) index.remove(std::span(gone).subspan(i, 1));
    });
    print("remove_us", 1e6 * seconds.cpu / static_cast<double>(single));
    index.remove(std::span(gone).subspan(single));
    print("commit_of_removals_wall_ms", 1e3 * seconds_of([&] { index.commit(); }).wall);
    index.set_commit_every(1);
}

// 20 segments with every tenth vector removed, and the same compacted.
void measure_search(const Matrix<float>& base, const Matrix<float>& queries, const std::string& folder,
                    const std::string& spec) {
    {
        LivingIndex index = filled(folder, base, spec);
        measure_removal(index);
        const std::string other = folder + "-compacted";
        fs::remove_all(other);
        fs::copy(folder, other, fs::copy_options::recursive);
    }
    LivingIndex compacted = LivingIndex::open(folder + "-compacted", Access::write);
    print("compact_wall_seconds", seconds_of([&] { compacted.compact(); }).wall);
    const LivingIndex index = LivingIndex::open(folder);
    print("segments", static_cast<double>(index.info().segments.size()));
    Seconds before, after, opening;
    const SearchOptions options{.k = 10, .execution = {.threads = 1}};
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        before.take_best(seconds_of([&] { index.search(queries.view(), options); }));
        after.take_best(seconds_of([&] { compacted.search(queries.view(), options); }));
        opening.take_best(seconds_of([&] { LivingIndex::open(folder); }));
    }
    const auto count = static_cast<double>(queries.rows());
    print("open_ms", 1e3 * opening.cpu);
    print("queries_per_second_segments", count / before.cpu);
    print("queries_per_second_compacted", count / after.cpu);
    print("segments_to_compacted", after.cpu / before.cpu);
    fs::remove_all(folder + "-compacted");
}

std::function<void(MatrixView<float>)> encoding(const IndexModel& model) {
    const Execution execution{.threads = 1};
    if (const auto* inverted = std::get_if<InvertedModel>(&model.first))
        return [builder = std::make_shared<InvertedBuilder>(*inverted), execution](MatrixView<float> vectors) {
            builder->encode(vectors, execution);
        };
    return [encoder = std::make_shared<Encoder>(model.quantizer()), execution](MatrixView<float> vectors) {
        encoder->encode(vectors, execution);
    };
}

// As long as a commit must take, whatever it writes: two files and twice the folder are synced.
void sync_files(const std::string& folder, std::size_t bytes) {
    const std::vector<std::byte> some(bytes, std::byte{1});
    write_file(folder + "/first", some);
    write_file(folder + "/second", std::span(some).first(std::min<std::size_t>(bytes, 2000)));
}

// Encoding alone, and the same vectors in commits of a thousand.
void measure_add(const Matrix<float>& base, const std::string& folder, const std::string& spec) {
    LivingIndex index = created(folder, base, spec);
    const auto encode = encoding(index.model());
    const std::string scratch = folder + "-scratch";
    fs::create_directories(scratch);
    Seconds encoded, added, synced;
    for (std::size_t i = 0; i < kCommits; ++i) {
        const MatrixView<float> some = base.view().slice(i * kCommit, kCommit);
        encoded.take_best(seconds_of([&] { encode(some); }));
        added.take_best(seconds_of([&] { index.add(some, {.threads = 1}); }));
        synced.take_best(seconds_of([&] { sync_files(scratch, index.info().segments.back().bytes); }));
    }
    print("encode_per_cpu_second", kCommit / encoded.cpu);
    print("add_per_cpu_second", kCommit / added.cpu);
    print("add_to_encode_cpu", encoded.cpu / added.cpu);
    print("encode_wall_ms", 1e3 * encoded.wall);
    print("add_wall_ms", 1e3 * added.wall);
    print("necessary_syncs_wall_ms", 1e3 * synced.wall);
    print("add_to_encode_wall", encoded.wall / added.wall);
    index.set_commit_every(0);
    const Seconds single = seconds_of([&] {
        for (std::size_t i = 0; i < kCommit; ++i) index.add(base.view().slice(i, 1), {.threads = 1});
    });
    print("buffered_add_us", 1e6 * single.cpu / kCommit);
    fs::remove_all(scratch);
}

void run(const std::string& what, const std::string& base_path, const std::string& query_path,
         const std::string& folder, const std::string& spec) {
    const Matrix<float> base = read_vectors(base_path), queries = read_vectors(query_path);
    fs::remove_all(folder);
    if (what == "search")
        measure_search(base, queries, folder, spec);
    else
        measure_add(base, folder, spec);
    fs::remove_all(folder);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        require(count == 6, "usage: store_bench search|add BASE QUERIES FOLDER SPEC");
        run(arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
