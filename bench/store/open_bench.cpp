// Times of opening a large index, as a file and as a folder, for bench/store/run.py: a line of a name and a number
// each.
//
//     open_bench VECTORS SPEC FOLDER
//
// The model learns from random vectors and the codes are random: only their number matters here. Two processes then
// search the file, and the kernel says how many of its pages they share.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include "store/living_state.h"
#include "summand/summand.h"

namespace {

using namespace summand;
namespace fs = std::filesystem;

constexpr std::size_t kDimensions = 32, kLearn = 20000, kSegments = 10, kTurns = 5;

void print(const std::string& name, double value) { std::cout << name << " " << value << "\n" << std::flush; }

Matrix<float> random_vectors(std::size_t rows) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    Matrix<float> vectors(rows, kDimensions);
    std::generate_n(vectors.data(), rows * kDimensions, [&] { return normal(random); });
    return vectors;
}

SegmentRows random_rows(const IndexModel& model, std::size_t first, std::size_t count) {
    std::mt19937_64 random(first + 1);
    SegmentRows rows;
    rows.ids.resize(count);
    for (std::size_t i = 0; i < count; ++i) rows.ids[i] = static_cast<std::int64_t>(first + i);
    rows.codes.resize(count * model.quantizer().dictionaries.count);
    for (std::uint8_t& code : rows.codes)
        code = static_cast<std::uint8_t>(random() % model.quantizer().dictionaries.words);
    if (!model.cells()) return rows;
    rows.cells.resize(count);
    for (std::uint32_t& cell : rows.cells) cell = static_cast<std::uint32_t>(random() % model.cells()->cells());
    return rows;
}

template <class Open>
void measure(const std::string& name, const Open& open) {
    double best = 1e9, best_cpu = 1e9, first_search = 0, second_search = 0;
    const Matrix<float> query = random_vectors(1);
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        const Stopwatch watch;
        const std::clock_t before = std::clock();
        const auto index = open();
        best_cpu = std::min(best_cpu, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        best = std::min(best, watch.seconds());
        const Stopwatch first;
        index.search(query.view(), {.k = 10});
        first_search = first.seconds();
        const Stopwatch second;
        index.search(query.view(), {.k = 10});
        second_search = second.seconds();
    }
    print(name + "_open_cpu_ms", 1e3 * best_cpu);
    print(name + "_open_wall_ms", 1e3 * best);
    print(name + "_first_search_wall_ms", 1e3 * first_search);
    print(name + "_second_search_wall_ms", 1e3 * second_search);
}

// Kilobytes of a file that this process has mapped: in memory, and of these the ones that other processes share.
std::pair<double, double> mapped_kilobytes(const std::string& path) {
    std::ifstream lines("/proc/self/smaps");
    double resident = 0, shared = 0;
    bool here = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.find('-') < line.find(' ')) here = line.ends_with(fs::canonical(path).string());
        if (here && line.starts_with("Rss:")) resident += std::stod(line.substr(4));
        if (here && line.starts_with("Shared_Clean:")) shared += std::stod(line.substr(13));
    }
    return {resident, shared};
}

// The child searches as well, and keeps the file open until the parent has looked.
void measure_sharing(const std::string& path) {
    int ready[2], done[2];
    require(::pipe(ready) == 0 && ::pipe(done) == 0, "cannot make pipes");
    const ::pid_t child = ::fork();
    char byte = 0;
    const Index index = Index::open(path);
    index.search(random_vectors(1).view(), {.k = 10, .execution = {.threads = 1}});
    if (child == 0) {
        ::close(done[1]);
        const bool told = ::write(ready[1], &byte, 1) == 1 && ::read(done[0], &byte, 1) >= 0;
        ::_exit(told ? 0 : 1);
    }
    require(::read(ready[0], &byte, 1) == 1, "the other process ended early");
    const auto [resident, shared] = mapped_kilobytes(path);
    ::close(done[1]);
    ::waitpid(child, nullptr, 0);
    print("mapped_megabytes", resident / 1024);
    print("shared_with_the_other_process", shared / resident);
}

void run(std::size_t vectors, const std::string& spec, const std::string& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::string living = folder + "/living", file = folder + "/index.smd";
    const Matrix<float> learn = random_vectors(kLearn);
    LivingIndex::create(living, learn, spec);
    {
        Manifest manifest = read_manifest(living);
        const auto model = load_model(living, manifest);
        std::vector<std::string> files;
        for (std::size_t s = 0; s < kSegments; ++s) {
            const SegmentRows rows = random_rows(model->model(), s * (vectors / kSegments), vectors / kSegments);
            manifest.segments.push_back(
                write_new_segment(living, *model, segment_of(*model, rows), manifest.next_segment++, files));
        }
        manifest.next_id = static_cast<std::int64_t>(vectors);
        write_manifest(living, manifest);
        model->index_of(random_rows(model->model(), 0, vectors)).save(file);
    }
    measure("file", [&] { return Index::open(file); });
    measure("folder", [&] { return LivingIndex::open(living); });
    measure_sharing(file);
    fs::remove_all(folder);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        require(count == 4, "usage: open_bench VECTORS SPEC FOLDER");
        run(std::stoul(arguments[1]), arguments[2], arguments[3]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
