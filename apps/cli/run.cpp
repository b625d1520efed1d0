#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>

#include "training_cost.h"
#include "verbs.h"

namespace summand::cli {
namespace {

constexpr std::size_t kEncoderBlock = 8192;
constexpr std::size_t kChunkBytes = 64u << 20;
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Whether both name one file, one of them perhaps as file.hdf5:dataset or npy:file; files need not exist.
bool same_file(const std::string& output, const std::string& input) {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto same = [&error](const std::string& a, const std::string& b) {
        return fs::equivalent(a, b, error) || fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
    };
    return !input.empty() && (same(output, input) || same(vector_file(output), vector_file(input)));
}

std::string container_error(const std::string& path) {
    return path == "-" ? "standard output takes ids and vectors only, expected the name of a file" : "";
}

void append(Codes& all, const Codes& part, std::vector<std::uint8_t>& bytes) {
    bytes.insert(bytes.end(), part.rows.values().begin(), part.rows.values().end());
    all.bias.insert(all.bias.end(), part.bias.begin(), part.bias.end());
    all.model = part.model;
}

// Draws vectors from the file and trains, with checkpoints where they are asked for.
template <class Model, class AnySpec>
Learned<Model> learn_with(const VectorReader& learn, const LearnOptions& options, std::uint64_t seed, Run& run,
                          const AnySpec& spec) {
    TrainSettings settings{.metric = options.metric, .seed = seed, .execution = run.execution()};
    std::optional<Checkpoint> before;
    if (!options.checkpoint.empty()) {
        if (std::filesystem::exists(options.checkpoint)) before = load_checkpoint(options.checkpoint);
        settings.checkpoint = [&options](const Checkpoint& now) {
            const SaveGuard guard;
            save(options.checkpoint, now);
        };
    }
    if (before) settings.resume = &*before;
    const std::size_t count = learn_vectors(options, learn);
    const Matrix<float> sample = sample_vectors(learn, count, seed);
    check_interrupt();
    if (options.metric == Metric::cosine)
        require_directions(sample.view(), learn.path(),
                           [&](std::size_t i) { return sample_rows(learn.rows(), count, seed)[i]; });
    const Stopwatch watch;
    Model model = about_file(learn.path(), [&] { return train(sample.view(), spec, settings); });
    return {std::move(model), watch.seconds()};
}

}  // namespace

CLI::App& add_verb(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& summary,
                   const std::string& example, std::function<void()> work) {
    CLI::App& verb = *app.add_subcommand(name, summary);
    verb.footer("Example:\n  " + example);
    verb.callback([&chosen, name, work = std::move(work)] { chosen = {name, work}; });
    return verb;
}

void add_threads(CLI::App& verb, RunOptions& options) {
    verb.add_option("-t,--threads", options.threads, "Threads to use; 0: all of the machine")
        ->check(whole_number(0, 4096))
        ->capture_default_str();
}

void add_seed(CLI::App& verb, RunOptions& options) {
    verb.add_option("--seed", options.seed, "Seed of every random choice")
        ->check(whole_number(0, kLargest))
        ->capture_default_str();
}

void add_quiet(CLI::App& verb, RunOptions& options) {
    verb.add_flag("-q,--quiet", options.quiet, "Print nothing but errors");
}

void add_json(CLI::App& verb, RunOptions& options) {
    verb.add_option("--json", options.json, "Write what was measured to this file; -: standard output");
}

void add_dry_run(CLI::App& verb, RunOptions& options) {
    verb.add_flag("-n,--dry-run", options.dry_run, "Estimate memory and time, then stop");
}

void add_metric(CLI::App& verb, Metric& metric) {
    const auto parse = [&metric](const std::string& text) { metric = parse_metric(text); };
    verb.add_option_function<std::string>("-m,--metric", parse, "euclidean (default), ip or cosine")
        ->check(CLI::IsMember({"euclidean", "ip", "cosine"}));
}

std::string default_spec(Metric metric, std::size_t bytes) {
    return metric == Metric::inner_product ? fmt::format("CQ{}(anisotropy=4)", bytes) : fmt::format("LOCQ{}", bytes);
}

void add_spec(CLI::App& verb, std::string& spec) {
    verb.add_option("-s,--spec", spec,
                    "Method and code size: PQ8, OPQ16x4, PQ8(iterations=50); see 'summand methods'. Default: " +
                        default_spec(Metric::euclidean) + ", for ip " + default_spec(Metric::inner_product))
        ->type_name("SPEC");
}

void add_neighbors(CLI::App& verb, std::size_t& k) {
    verb.add_option("-k,--neighbors", k, "Neighbours per query; where there are fewer, all of them")
        ->check(whole_number(0, kLargest))
        ->capture_default_str();
}

void add_checkpoint(CLI::App& verb, std::string& path, const std::string& what) {
    verb.add_option("--checkpoint", path, "File to save " + what + "; where it exists, the work goes on from it")
        ->check(CLI::Validator(container_error, ""));
}

void add_learn_size(CLI::App& verb, std::size_t& size) {
    verb.add_option(
            "--learn-size", size,
            "Vectors drawn to learn from, at most; default: as many as take 2 GB of memory and 8e12 operations, "
            "a minute or two on two cores")
        ->check(whole_number(1, kLargest));
}

void add_output(CLI::App& verb, std::string& path, const std::string& what, const RunOptions& options) {
    verb.add_option("-o,--output", path, what + " (required)")->check(CLI::Validator(container_error, ""));
    verb.parse_complete_callback([&path, &options] {
        if (path.empty() && !options.dry_run) throw CLI::RequiredError("--output");
    });
}

CLI::Validator whole_number(std::uint64_t smallest, std::uint64_t largest) {
    return {[=](const std::string& text) -> std::string {
                std::uint64_t value = 0;
                const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
                const bool whole = status == std::errc() && end == text.data() + text.size();
                if (whole && value >= smallest && value <= largest) return {};
                return fmt::format("expected a whole number from {} to {}, got '{}'", smallest, largest, text);
            },
            ""};
}

Run::Run(const RunOptions& options) : options_(options), display_(options.quiet ? Display::quiet : Display::automatic) {
    kernel_level();  // throws for one that this CPU lacks, whatever the files are
}

Execution Run::execution() {
    Execution execution = silent_execution();
    execution.progress = [this](const Progress& progress) { display_.update(progress); };
    return execution;
}

Execution Run::silent_execution() const { return {.threads = options_.threads, .stop = interrupt_token()}; }

void Run::print(const std::string& line) const {
    if (options_.quiet || options_.json == "-") return;
    display_.erase();
    fmt::print("{}\n", line);
}

void Run::write_json(const nlohmann::ordered_json& summary) const {
    if (options_.json.empty()) return;
    const std::string text = summary.dump(2) + "\n";
    if (options_.json == "-") {
        display_.erase();
        fmt::print("{}", text);
    } else {
        write_file(options_.json, std::as_bytes(std::span(text)));
    }
}

bool is_standard_output(const Output& output) {
    return output.path == "-" || (output.content != Content::any && vector_file(output.path) == "-");
}

void check_outputs(const std::vector<std::string>& inputs, const std::vector<Output>& outputs) {
    const auto printed = std::count_if(outputs.begin(), outputs.end(), is_standard_output);
    require(printed <= 1, "standard output is given for ", printed, " outputs, expected one");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string& path = outputs[i].path;
        if (path.empty()) continue;
        if (is_standard_output(outputs[i])) {
            if (path != "-") check_output(path, outputs[i].content);
            continue;
        }
        for (const std::string& input : inputs)
            require(!same_file(path, input), path, ": cannot write: it is also to be read");
        for (std::size_t j = 0; j < i; ++j)
            require(!same_file(path, outputs[j].path), path, ": cannot write: it is given for two outputs");
        check_output(path, outputs[i].content);
    }
}

void require_directions(MatrixView<float> vectors, const std::string& path,
                        const std::function<std::size_t(std::size_t)>& row_in_file) {
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        require(std::any_of(vectors[i].begin(), vectors[i].end(), [](float value) { return value != 0; }), path,
                ": row ", row_in_file(i), " is all zeros, which has no direction; cosine needs non-zero vectors");
}

void require_dimensions(const VectorReader& reader, std::size_t dimensions, const std::string& other) {
    require(reader.columns() == dimensions, reader.path(), ": expected vectors of ", dimensions, " dimensions as in ",
            other, ", got ", reader.columns());
}

std::size_t chunk_rows(const VectorReader& reader) {
    const std::size_t rows = kChunkBytes / (sizeof(float) * std::max<std::size_t>(reader.columns(), 1));
    return std::max(kEncoderBlock, rows / kEncoderBlock * kEncoderBlock);
}

Matrix<float> read_all(const VectorReader& reader) {
    std::vector<float> values;
    values.reserve(reader.rows() * reader.columns());
    const std::size_t size = chunk_rows(reader);
    for (std::size_t first = 0; first < reader.rows(); first += size) {
        check_interrupt();
        const Matrix<float> part = reader.read(first, std::min(size, reader.rows() - first));
        values.insert(values.end(), part.values().begin(), part.values().end());
    }
    return {reader.rows(), reader.columns(), std::move(values)};
}

void for_each_chunk(const VectorReader& base, Run& run,
                    const std::function<void(const Matrix<float>& chunk, const Execution& execution)>& take,
                    std::size_t start) {
    const Stopwatch watch;
    const std::size_t size = chunk_rows(base);
    for (std::size_t first = start; first < base.rows(); first += size) {
        const std::size_t rows = std::min(size, base.rows() - first);
        const Matrix<float> part = base.read(first, rows);
        const auto report = [&](std::size_t done) {
            run.display().update({"encode", done, base.rows(), kNone, kNone, kNone, watch.seconds(), start});
        };
        Execution execution = run.silent_execution();
        execution.progress = [&](const Progress& inner) {
            if (inner.step < inner.steps) report(first + rows * inner.step / inner.steps);
        };
        about_file(base.path(), [&] { take(part, execution); });
        report(first + rows);
    }
}

Codes encode_file(const Quantizer& model, const VectorReader& base, std::uint64_t seed, Run& run,
                  const Prepare& prepare) {
    const std::size_t count = model.dictionaries.count;
    Codes codes;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(base.rows() * count);
    for_each_chunk(base, run, [&](const Matrix<float>& part, const Execution& execution) {
        const std::size_t first = bytes.size() / count;
        if (model.unit_length) require_directions(part.view(), base.path(), [&](std::size_t i) { return first + i; });
        const Matrix<float> prepared = prepare ? prepare(part, first) : Matrix<float>();
        const MatrixView<float> vectors = prepare ? prepared.view() : part.view();
        append(codes, encode(model, vectors, {.seed = seed, .execution = execution}), bytes);
    });
    codes.rows = {base.rows(), count, std::move(bytes)};
    return codes;
}

void check_learning(const LearnOptions& options) {
    TrainSettings settings{.metric = options.metric};
    if (!options.checkpoint.empty()) settings.checkpoint = [](const Checkpoint&) {};
    check(parse_index_spec(options.spec), settings);
}

nlohmann::ordered_json held_out(const TrainingSummary& training) {
    if (!training.held_out_distortion) return nullptr;
    return *training.held_out_distortion;
}

Learned<Quantizer> learn_from_file(const VectorReader& learn, const LearnOptions& options, std::uint64_t seed,
                                   Run& run) {
    return learn_with<Quantizer>(learn, options, seed, run, parse_spec(options.spec));
}

Learned<InvertedModel> learn_inverted(const VectorReader& learn, const LearnOptions& options, std::uint64_t seed,
                                      Run& run) {
    return learn_with<InvertedModel>(learn, options, seed, run, parse_index_spec(options.spec));
}

}  // namespace summand::cli
