// Indexes of either kind: made, opened, looked at, saved.
#include <algorithm>

#include "answers.h"
#include "arguments.h"
#include "handle.h"
#include "summand/build.h"
#include "summand/describe.h"
#include "summand/evaluate.h"
#include "summand/tune.h"

using namespace summand;
using namespace summand::capi;

namespace {

constexpr std::uint64_t kUsualSeed = 1;

/// Settings of a build or of a new folder, with what they borrow.
struct Building {
    Building(const summand_build_options* given, const char* function)
        : options(fields_of(given, function, "summand_build_options")), running(options.execution, function) {
        if (options.learn) learn.emplace(source_of(options.learn, function, "learn"));
        if (options.metric) settings.metric = parse_metric(options.metric);
        if (options.target) settings.target = parse_target(options.target);
        settings.seed = options.seed == 0 ? kUsualSeed : options.seed;
        settings.learn = learn ? &*learn : nullptr;
        settings.learn_size = options.learn_size;
        settings.memory_bytes = static_cast<double>(options.memory_bytes);
        settings.path = text_or_empty(options.path);
        settings.checkpoint = text_or_empty(options.checkpoint);
        settings.execution = running.execution();
    }

    summand_build_options options;
    Running running;
    std::optional<VectorSource> learn = {};
    BuildSettings settings = {};
};

void open_either(const char* path, const summand_open_options& options, summand_index** index) {
    if (LivingIndex::is_at(path)) {
        require(!options.vectors, "summand_open: ", path, ": an index in a folder keeps its vectors, expected none");
        return hand_out(LivingIndex::open(path, options.write != 0 ? Access::write : Access::read), index);
    }
    require(options.write == 0, "summand_open: ", path,
            ": expected a folder to write, made by summand_create; an index of a file is replaced by summand_save");
    hand_out(Index::open(path, {.vectors = text_or_empty(options.vectors)}), index);
}

}  // namespace

summand_status summand_build(const summand_vectors* base, const char* spec, const summand_build_options* options,
                             summand_index** index, summand_error** error) {
    return call(error, [&] {
        required(index, "summand_build", "index");
        const VectorSource vectors = source_of(base, "summand_build", "base");
        const Building building(options, "summand_build");
        hand_out(build(vectors, text_or_empty(spec), building.settings), index);
    });
}

summand_status summand_create(const char* folder, const summand_vectors* learn, const char* spec,
                              const summand_build_options* options, summand_index** index, summand_error** error) {
    return call(error, [&] {
        required(index, "summand_create", "index");
        const VectorSource vectors = source_of(learn, "summand_create", "learn");
        const Building building(options, "summand_create");
        hand_out(LivingIndex::create(text_of(folder, "summand_create", "folder"), vectors, text_or_empty(spec),
                                     building.settings),
                 index);
    });
}

summand_status summand_open(const char* path, const summand_open_options* options, summand_index** index,
                            summand_error** error) {
    return call(error, [&] {
        required(index, "summand_open", "index");
        open_either(text_of(path, "summand_open", "path"), fields_of(options, "summand_open", "summand_open_options"),
                    index);
    });
}

summand_status summand_from_bytes(const void* bytes, size_t count, summand_index** index, summand_error** error) {
    return call(error, [&] {
        required(index, "summand_from_bytes", "index");
        const auto* first = static_cast<const std::byte*>(bytes);
        required(first, "summand_from_bytes", "bytes");
        hand_out(Index::from_bytes(std::span(first, count)), index);
    });
}

void summand_close(summand_index* index) { delete index; }

summand_status summand_tune(summand_index* index, const summand_vectors* queries, const int64_t* truth,
                            size_t neighbors, const char* target, const summand_execution* execution,
                            summand_error** error) {
    return call(error, [&] {
        Index& tuned = plain(index, "summand_tune");
        const MatrixView<float> asked = rows_of(queries, "summand_tune", "queries");
        required(truth, "summand_tune", "truth");
        const TuneTarget wanted = parse_target(text_of(target, "summand_tune", "target"));
        const Running running(execution, "summand_tune");
        const Tuning tuning = tune(tuned, asked, {truth, asked.rows(), neighbors}, wanted, running.execution());
        require(tuning.chosen.has_value(), "summand_tune: cannot reach ", target, ": the search that finds most finds ",
                std::max_element(tuning.trials.begin(), tuning.trials.end(), [](const Trial& a, const Trial& b) {
                    return a.recall < b.recall;
                })->recall);
        tuned.set_defaults(tuning.chosen->parameters);
    });
}

summand_status summand_exact_neighbors(const summand_vectors* base, const summand_vectors* queries, size_t k,
                                       const char* metric, const summand_execution* execution, int64_t* ids,
                                       float* scores, summand_error** error) {
    return call(error, [&] {
        required(ids, "summand_exact_neighbors", "ids");
        const VectorSource vectors = source_of(base, "summand_exact_neighbors", "base");
        const MatrixView<float> asked = rows_of(queries, "summand_exact_neighbors", "queries");
        const Running running(execution, "summand_exact_neighbors");
        put(exact_neighbors(vectors, asked, k, metric ? parse_metric(metric) : Metric::euclidean, running.execution()),
            k, ids, scores);
    });
}

summand_status summand_size(const summand_index* index, size_t* vectors, summand_error** error) {
    return call(error, [&] {
        required(vectors, "summand_size", "vectors") =
            with_either(index, "summand_size", [](const auto& held) { return held.size(); });
    });
}

summand_status summand_dimensions(const summand_index* index, size_t* dimensions, summand_error** error) {
    return call(error, [&] {
        required(dimensions, "summand_dimensions", "dimensions") =
            with_either(index, "summand_dimensions", [](const auto& held) { return held.dimensions(); });
    });
}

summand_status summand_info(const summand_index* index, char** json, summand_error** error) {
    return call(error, [&] {
        required(json, "summand_info", "json");
        struct Describing {
            std::string operator()(const Index& held) const { return describe(held); }
            std::string operator()(const LivingIndex& held) const { return describe(held.info()); }
        };
        *json = allocated(with_either(index, "summand_info", Describing()));
    });
}

summand_status summand_verify(const char* path, char** problems, summand_error** error) {
    return call(error, [&] {
        required(problems, "summand_verify", "problems");
        std::string lines;
        for (const std::string& problem : verify(text_of(path, "summand_verify", "path"))) lines += problem + "\n";
        *problems = allocated(lines);
    });
}

summand_status summand_save(const summand_index* index, const char* path, summand_error** error) {
    return call(error, [&] { plain(index, "summand_save").save(text_of(path, "summand_save", "path")); });
}

summand_status summand_to_bytes(const summand_index* index, void** bytes, size_t* count, summand_error** error) {
    return call(error, [&] {
        required(bytes, "summand_to_bytes", "bytes");
        required(count, "summand_to_bytes", "count");
        const std::vector<std::byte> saved = plain(index, "summand_to_bytes").to_bytes();
        *bytes = allocated(saved.data(), saved.size());
        *count = saved.size();
    });
}
