// Four processes add, remove, update, compact and search one folder at once; one of them is killed again and again.
// Every worker owns the ids of its number modulo four and writes what it is about to do, and that it is done, to a log.
// At the end the folder must find, bit for bit, what an index finds that was filled from the logs.
//
//     soak BASE FOLDER VECTORS SECONDS
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "summand/summand.h"

namespace {

using namespace summand;
namespace fs = std::filesystem;

constexpr std::int64_t kWorkers = 4;
constexpr const char* kSpec = "IVF256,PQ8";

// The vector that version `version` of an id has.
std::size_t row_of(std::int64_t id, std::int64_t version, std::size_t rows) {
    return static_cast<std::size_t>(id * 7919 + version * 104729) % rows;
}

Matrix<float> vectors_of(const Matrix<float>& base, const std::vector<std::int64_t>& ids,
                         const std::vector<std::int64_t>& versions) {
    Matrix<float> result(ids.size(), base.columns());
    for (std::size_t i = 0; i < ids.size(); ++i)
        std::copy_n(base.row(row_of(ids[i], versions[i], base.rows())), base.columns(), result.row(i));
    return result;
}

// One operation as a line of the log: what, the version that vectors get, ids.
struct Operation {
    char what = ' ';  // a, r, u, c
    std::int64_t version = 0;
    std::vector<std::int64_t> ids = {};
};

std::string line_of(const Operation& operation) {
    std::ostringstream line;
    line << operation.what << ' ' << operation.version;
    for (const std::int64_t id : operation.ids) line << ' ' << id;
    return line.str();
}

Operation parse(const std::string& line) {
    std::istringstream text(line);
    Operation operation;
    text >> operation.what >> operation.version;
    for (std::int64_t id; text >> id;) operation.ids.push_back(id);
    return operation;
}

// What a worker knows of its own ids: their versions.
struct Known {
    std::map<std::int64_t, std::int64_t> versions;
    std::int64_t next = 0, version = 0;
    std::size_t done = 0;

    void apply(const Operation& operation) {
        for (const std::int64_t id : operation.ids) {
            if (operation.what == 'r') versions.erase(id);
            if (operation.what == 'a' || operation.what == 'u') versions[id] = operation.version;
            next = std::max(next, id + kWorkers);
        }
        version = std::max(version, operation.version);
        ++done;
    }
};

class Log {
public:
    explicit Log(const std::string& path) : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666)) {}
    ~Log() { ::close(descriptor_); }
    void write(const std::string& line) const {
        const std::string text = line + "\n";
        if (::write(descriptor_, text.data(), text.size()) != static_cast<::ssize_t>(text.size())) ::_exit(3);
    }

private:
    int descriptor_;
};

// Whether an operation that was not acknowledged has happened: all of it or nothing.
bool happened(const LivingIndex& index, const Matrix<float>& base, const Operation& operation, const Known& known) {
    if (operation.what == 'c') return true;
    if (operation.what != 'u') {
        const bool there = index.contains(operation.ids[0]);
        for (const std::int64_t id : operation.ids)
            if (index.contains(id) != there) throw Error("an operation happened in part");
        return there == (operation.what == 'a');
    }
    std::size_t hits = 0;
    for (const std::int64_t id : operation.ids) {
        const Matrix<float> both = vectors_of(base, {id, id}, {known.versions.at(id), operation.version});
        const Index two = build(both, index.model());
        const IdFilter only = IdFilter::list(std::vector<std::int64_t>{id});
        const float score =
            index.search(both.view().slice(1, 1), {.k = 1, .probes = 256, .filter = &only}).scores[0][0];
        const Neighbors expected = two.search(both.view().slice(1, 1), {.k = 2, .probes = 256});
        hits += score == (expected.ids[0][0] == 1 ? expected.scores[0][0] : expected.scores[0][1]) ? 1 : 0;
    }
    if (hits != 0 && hits != operation.ids.size()) throw Error("an update happened in part");
    return hits > 0;
}

Known read_log(const std::string& path, Operation* open_one) {
    Known known;
    std::ifstream log(path);
    std::string line, intended;
    while (std::getline(log, line)) {
        if (line == "done" || line == "undone") {
            if (line == "done") known.apply(parse(intended));
            intended.clear();
        } else {
            intended = line;
        }
    }
    if (open_one && !intended.empty()) *open_one = parse(intended);
    return known;
}

template <class Work>
void as_writer(const std::string& folder, const Work& work) {
    for (;;) {
        std::optional<LivingIndex> index;
        try {
            index.emplace(LivingIndex::open(folder, Access::write));
        } catch (const Error& error) {
            if (std::string(error.what()).find("one writer") == std::string::npos) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            continue;
        }
        return work(*index);
    }
}

Operation next_operation(Known& known, std::int64_t worker, std::mt19937_64& random) {
    const auto pick = [&](std::size_t count) {
        std::vector<std::int64_t> ids;
        for (std::size_t i = 0; i < count && !known.versions.empty(); ++i) {
            auto at = known.versions.lower_bound(
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(known.next + 1)));
            if (at == known.versions.end()) at = known.versions.begin();
            if (std::find(ids.begin(), ids.end(), at->first) == ids.end()) ids.push_back(at->first);
        }
        return ids;
    };
    const std::uint64_t dice = random() % 100;
    Operation operation{.version = ++known.version};
    if (dice < 3) return operation.what = 'c', operation;
    if (dice < 35) return operation.what = 'r', operation.ids = pick(1 + random() % 50), operation;
    if (dice < 60) return operation.what = 'u', operation.ids = pick(1 + random() % 20), operation;
    operation.what = 'a';
    std::int64_t id = std::max(known.next, worker);
    for (std::size_t count = 1 + random() % 100; count > 0; --count, id += kWorkers) operation.ids.push_back(id);
    return operation;
}

void work(const Matrix<float>& base, const std::string& folder, const std::string& path, std::int64_t worker,
          std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Operation open_one;
    Known known = read_log(path, &open_one);
    const Log log(path);
    if (open_one.what != ' ') {
        const bool did = happened(LivingIndex::open(folder), base, open_one, known);
        log.write(did ? "done" : "undone");
        if (did) known.apply(open_one);
    }
    for (;;) {
        const Operation operation = next_operation(known, worker, random);
        if (operation.what != 'c' && operation.ids.empty()) continue;
        log.write(line_of(operation));
        as_writer(folder, [&](LivingIndex& index) {
            const std::vector<std::int64_t> versions(operation.ids.size(), operation.version);
            const Execution alone{.threads = 1};
            if (operation.what == 'a')
                index.add(vectors_of(base, operation.ids, versions), operation.ids, Duplicates::refuse, alone);
            if (operation.what == 'u') index.update(vectors_of(base, operation.ids, versions), operation.ids, alone);
            if (operation.what == 'r') index.remove(operation.ids);
            if (operation.what == 'c') index.compact(Compaction::tiers, alone);
        });
        log.write("done");
        known.apply(operation);
        const LivingIndex reader = LivingIndex::open(folder);
        reader.search(base.view().slice(random() % base.rows(), 1), {.k = 10, .execution = {.threads = 1}});
    }
}

pid_t start(const Matrix<float>& base, const std::string& folder, const std::string& log, std::int64_t worker,
            std::uint64_t seed) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
        work(base, folder, log, worker, seed);
    } catch (const std::exception& error) {
        std::cerr << "worker " << worker << ": " << error.what() << "\n";
    }
    ::_exit(4);
}

int soak(const std::string& base_path, const std::string& folder, std::size_t vectors, int seconds) {
    const VectorReader reader(base_path);
    const Matrix<float> base = reader.read(0, std::min<std::size_t>(reader.rows(), 200000));
    fs::remove_all(folder);
    const std::string reference = folder + "-reference";
    fs::remove_all(reference);
    LivingIndex::create(folder, base, kSpec, {.learn_size = 20000});
    const auto log_of = [&](std::int64_t worker) { return folder + "-log-" + std::to_string(worker); };
    for (std::int64_t worker = 0; worker < kWorkers; ++worker) {
        fs::remove(log_of(worker));
        Operation all{.what = 'a', .version = 1};
        for (auto id = worker; id < static_cast<std::int64_t>(vectors); id += kWorkers) all.ids.push_back(id);
        const Log log(log_of(worker));
        log.write(line_of(all));
        as_writer(folder, [&](LivingIndex& index) {
            index.add(vectors_of(base, all.ids, std::vector<std::int64_t>(all.ids.size(), 1)), all.ids);
        });
        log.write("done");
    }
    std::vector<pid_t> workers;
    for (std::int64_t worker = 0; worker < kWorkers; ++worker)
        workers.push_back(start(base, folder, log_of(worker), worker, static_cast<std::uint64_t>(worker)));
    std::mt19937_64 random(99);
    std::size_t kills = 0;
    for (const Stopwatch watch; watch.seconds() < seconds;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 400));
        ::kill(workers[0], SIGKILL);
        ::waitpid(workers[0], nullptr, 0);
        workers[0] = start(base, folder, log_of(0), 0, 1000 + ++kills);
    }
    for (const pid_t worker : workers) {
        ::kill(worker, SIGKILL);
        int status = 0;
        ::waitpid(worker, &status, 0);
        require(WIFSIGNALED(status), "a worker ended by itself");
    }
    LivingIndex index = LivingIndex::open(folder, Access::write);
    std::size_t operations = 0;
    std::vector<std::int64_t> ids, versions;
    for (std::int64_t worker = 0; worker < kWorkers; ++worker) {
        Operation open_one;
        Known known = read_log(log_of(worker), &open_one);
        if (open_one.what != ' ' && happened(index, base, open_one, known)) known.apply(open_one);
        operations += known.done;
        for (const auto& [id, version] : known.versions) ids.push_back(id), versions.push_back(version);
    }
    LivingIndex expected = LivingIndex::create(reference, index.model());
    expected.add(vectors_of(base, ids, versions), ids);
    const MatrixView<float> queries = base.view().slice(0, 500);
    const bool same =
        index.size() == expected.size() && index.search(queries, {.k = 100}) == expected.search(queries, {.k = 100});
    const std::vector<std::string> problems = verify(folder);
    std::cout << "operations " << operations << "\nkills " << kills << "\nvectors " << index.size() << "\nsegments "
              << index.info().segments.size() << "\ncommits " << index.info().commit << "\nproblems " << problems.size()
              << "\nequal " << (same ? 1 : 0) << "\n";
    for (const std::string& problem : problems) std::cerr << problem << "\n";
    return same && problems.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        require(count == 5, "usage: soak BASE FOLDER VECTORS SECONDS");
        return soak(arguments[1], arguments[2], std::stoul(arguments[3]), std::stoi(arguments[4]));
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
