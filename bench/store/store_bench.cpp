// Times of an index in a folder, for bench/store/run.py: a line of a name and a number each.
//
//     store_bench BASE QUERIES FOLDER SPEC
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "summand/summand.h"

namespace {

using namespace summand;

constexpr std::size_t kSegments = 20, kCommit = 1000, kCommits = 20;

template <class Work>
double seconds_of(const Work& work) {
    const Stopwatch watch;
    work();
    return watch.seconds();
}

void print(const std::string& name, double value) { std::cout << name << " " << value << "\n" << std::flush; }

double queries_per_second(const LivingIndex& index, MatrixView<float> queries, const SearchOptions& options) {
    index.search(queries.slice(0, queries.rows() / 4), options);
    double best = 1e9;
    for (int run = 0; run < 3; ++run) best = std::min(best, seconds_of([&] { index.search(queries, options); }));
    return static_cast<double>(queries.rows()) / best;
}

// Encoding alone, and the same vectors in commits of a thousand.
void measure_adds(LivingIndex& index, const Matrix<float>& base) {
    const MatrixView<float> some = base.view().slice(0, kCommit * kCommits);
    const IndexModel model = index.model();
    const double encoding = seconds_of([&] {
        if (const auto* inverted = std::get_if<InvertedModel>(&model.first)) {
            const InvertedBuilder builder(*inverted);
            for (std::size_t i = 0; i < kCommits; ++i) builder.encode(some.slice(i * kCommit, kCommit));
        } else {
            const Encoder encoder(model.quantizer());
            for (std::size_t i = 0; i < kCommits; ++i) encoder.encode(some.slice(i * kCommit, kCommit));
        }
    });
    const double adding = seconds_of([&] {
        for (std::size_t i = 0; i < kCommits; ++i) index.add(some.slice(i * kCommit, kCommit));
    });
    print("encode_per_second", static_cast<double>(some.rows()) / encoding);
    print("add_per_second", static_cast<double>(some.rows()) / adding);
    print("add_to_encode", encoding / adding);
    index.set_commit_every(0);
    const double single = seconds_of([&] {
        for (std::size_t i = 0; i < kCommit; ++i) index.add(some.slice(i, 1), {.threads = 1});
    });
    print("buffered_add_us", 1e6 * single / kCommit);
    index.commit();
    index.set_commit_every(1);
}

void measure_removal(LivingIndex& index, std::size_t vectors) {
    index.set_commit_every(0);
    std::vector<std::int64_t> gone(vectors / 10);
    for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = static_cast<std::int64_t>(i * 10);
    const std::size_t single = std::min<std::size_t>(gone.size(), 10000);
    const double seconds = seconds_of([&] {
        for (std::size_t i = 0; i < single; ++i) index.remove(std::span(gone).subspan(i, 1));
    });
    print("remove_us", 1e6 * seconds / static_cast<double>(single));
    index.remove(std::span(gone).subspan(single));
    print("commit_of_removals_ms", 1e3 * seconds_of([&] { index.commit(); }));
    index.set_commit_every(1);
}

void run(const std::string& base_path, const std::string& query_path, const std::string& folder,
         const std::string& spec) {
    const Matrix<float> base = read_vectors(base_path), queries = read_vectors(query_path);
    std::filesystem::remove_all(folder);
    LivingIndex index = LivingIndex::create(folder, base, spec, {.learn_size = 50000});
    const std::size_t part = base.rows() / kSegments;
    for (std::size_t i = 0; i < kSegments; ++i) index.add(base.view().slice(i * part, part));
    measure_removal(index, part * kSegments);
    print("segments", static_cast<double>(index.info().segments.size()));
    SearchOptions options{.k = 10};
    const double before = queries_per_second(index, queries.view(), options);
    print("open_ms", 1e3 * seconds_of([&] { LivingIndex::open(folder); }));
    print("compact_seconds", seconds_of([&] { index.compact(); }));
    const double after = queries_per_second(index, queries.view(), options);
    print("queries_per_second_segments", before);
    print("queries_per_second_compacted", after);
    print("segments_to_compacted", before / after);
    measure_adds(index, base);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        require(count == 5, "usage: store_bench BASE QUERIES FOLDER SPEC");
        run(arguments[1], arguments[2], arguments[3], arguments[4]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
