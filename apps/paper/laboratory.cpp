#include "laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "hash.h"
#include "quadratic_scan.h"
#include "sources_name.h"
#include "text_file.h"

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNeighbors = 100;       // that are searched for, and relevant for MAP
constexpr std::size_t kRankedAnswers = 1000;  // that MAP looks at
constexpr std::size_t kTimedQueries = 200;    // that reconstruction is measured with
constexpr std::size_t kQuadraticQueries = 20;
constexpr float kRounding = 1e-4f;       // of sums of floats, as a share of what is added
constexpr std::size_t kPiece = 100'000;  // vectors that are put into lists at once

std::string file_name(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
    return text;
}

template <class... Parts>
void save_file(const std::string& path, const Parts&... parts) {
    const SaveGuard guard;
    save(path, parts...);
}

}  // namespace

Laboratory::Laboratory(LaboratoryOptions options, Run& run)
    : options_(std::move(options)), machine_hash_(hash_of(std::as_bytes(std::span(options_.machine)))), run_(run) {
    for (const char* kind : {"cells", "models", "truth"}) fs::create_directories(fs::path(options_.folder) / kind);
}

std::string Laboratory::path(const char* kind, const PaperSet& set, const std::string& name,
                             const std::string& ending) const {
    const std::string whole = fmt::format("{}|{}|{}|{}", set.hash, name, options_.seed, kSourcesName);
    return fmt::format("{}/{}/{}-{}-{:016x}{}", options_.folder, kind, file_name(set.name), file_name(name),
                       hash_of(std::as_bytes(std::span(whole))), ending);
}

std::string Laboratory::cell_path(const PaperSet& set, const CellKey& key) const {
    std::string whole = fmt::format("{}-{}", key.spec, name(key.measure));
    if (!key.query_spec.empty()) whole += "-by-" + key.query_spec;
    if (key.candidates > 0) whole += fmt::format("-L{}", key.candidates);
    if (const auto protocol = protocol_of(key.measure)) whole += fmt::format("-{:016x}", set.lists.at(*protocol));
    return path("cells", set, whole, fmt::format("-{:08x}.json", static_cast<std::uint32_t>(machine_hash_)));
}

std::optional<Cell> Laboratory::find(const PaperSet& set, const CellKey& key) const {
    const std::string path = cell_path(set, key);
    const auto text = read_text(path);
    if (!text) return {};
    return about(path, [&] { return cell_from_json(key, *text); });
}

void Laboratory::use(const PaperSet& set) {
    if (set_ == set.name) return;
    truth_.clear();
    vectors_ = {};
    vectors_ = read_paper_vectors(set.files, set.sizes, options_.seed);
    set_ = set.name;
}

const Matrix<std::int64_t>& Laboratory::truth(const PaperSet& set, Metric metric, const Execution& execution) {
    const auto held = truth_.find(metric);
    if (held != truth_.end()) return held->second;
    const std::string file = path("truth", set, std::string(name(metric)), ".ivecs");
    if (!fs::exists(file)) {
        const std::size_t k = std::min(kNeighbors, vectors_.base->rows);
        const Neighbors found = exact_neighbors(*vectors_.base, vectors_.queries, k, metric, execution);
        const SaveGuard guard;
        write_ids(file, found.ids.view());
    }
    return truth_[metric] = read_ids(file);
}

Laboratory::Fitted Laboratory::fit(const std::string& spec, const Execution& execution) const {
    Fitted fitted;
    const Stopwatch training;
    fitted.model = train(vectors_.learn.view(), parse_spec(spec), {.seed = options_.seed, .execution = execution});
    fitted.times.train = training.seconds();
    const Stopwatch encoding;
    fitted.codes = encode_all(Encoder(fitted.model, {.seed = options_.seed}), *vectors_.base, execution);
    fitted.times.encode = encoding.seconds();
    return fitted;
}

std::optional<Laboratory::Times> Laboratory::read_times(const std::string& path) {
    const auto text = read_text(path);
    if (!text) return {};
    const auto seconds = nlohmann::ordered_json::parse(*text);
    return Times{seconds.at("train_seconds"), seconds.at("encode_seconds")};
}

void Laboratory::save_times(const std::string& path, const Times& times) {
    const nlohmann::ordered_json seconds{{"train_seconds", times.train}, {"encode_seconds", times.encode}};
    save_text(path, seconds.dump() + "\n");
}

// The times are written last: where they are, the rest is complete.
Laboratory::Fitted Laboratory::fitted(const PaperSet& set, const std::string& spec, const Execution& execution) const {
    const std::string model = path("models", set, spec, ".model.smd"), codes = path("models", set, spec, ".codes.smd"),
                      times = path("models", set, spec, ".json");
    if (const auto taken = read_times(times)) return {load_quantizer(model), load_codes(codes), *taken};
    Fitted made = fit(spec, execution);
    save_file(model, made.model);
    save_file(codes, made.codes, made.model);
    save_times(times, made.times);
    return made;
}

Laboratory::Listed Laboratory::list(const std::string& spec, const Execution& execution) const {
    const Stopwatch training;
    InvertedModel model =
        train(vectors_.learn.view(), parse_index_spec(spec), {.seed = options_.seed, .execution = execution});
    const double train_seconds = training.seconds();
    const Stopwatch encoding;
    InvertedBuilder builder(std::move(model), {.seed = options_.seed, .execution = execution});
    for (std::size_t first = 0; first < vectors_.base->rows; first += kPiece)
        builder.add(vectors_.base->read(first, std::min(kPiece, vectors_.base->rows - first)).view());
    InvertedIndex index = std::move(builder).finish();
    return {std::move(index), {train_seconds, encoding.seconds()}};
}

Laboratory::Listed Laboratory::listed(const PaperSet& set, const std::string& spec, const Execution& execution) const {
    const std::string index = path("models", set, spec, ".index.smd"), times = path("models", set, spec, ".json");
    if (const auto taken = read_times(times)) return {Index::open(index), *taken};
    Listed made = list(spec, execution);
    {
        const SaveGuard guard;
        made.index.save(index);
    }
    save_times(times, made.times);
    return made;
}

Matrix<float> Laboratory::compressed_queries(const PaperSet& set, const std::string& spec,
                                             const Execution& execution) const {
    const Quantizer model = fitted(set, spec, execution).model;
    return decode(model, encode(model, vectors_.queries.view(), {.seed = options_.seed, .execution = execution}),
                  execution);
}

double Laboratory::precision(const FlatIndex& index, const Matrix<std::int64_t>& nearest) const {
    const Neighbors ranked = index.search(
        vectors_.queries.view(), {.k = std::min(kRankedAnswers, index.size()), .execution = run_.silent_execution()});
    return mean_average_precision(ranked, nearest.view(), kNeighbors);
}

Cell Laboratory::search_cell(const PaperSet& set, const CellKey& key, const Execution& execution) {
    const Metric metric = key.measure == Measure::inner_product ? Metric::inner_product : Metric::euclidean;
    const Matrix<std::int64_t>& nearest = truth(set, metric, execution);
    const Fitted made = fitted(set, key.spec, execution);
    Matrix<float> queries;
    if (key.measure == Measure::compressed_queries) queries = compressed_queries(set, key.query_spec, execution);
    const FlatIndex index(made.model, made.codes, metric);
    Cell cell;
    cell.report = evaluate(index, queries.empty() ? vectors_.queries.view() : queries.view(), nearest.view(),
                           {.k = nearest.columns(), .execution = run_.silent_execution()});
    if (key.measure == Measure::search && nearest.columns() == kNeighbors) cell.report.map = precision(index, nearest);
    cell.report.train_seconds = made.times.train;
    cell.report.encode_seconds = made.times.encode;
    cell.report.distortion = distortion(made.model, *vectors_.base, made.codes, run_.silent_execution());
    cell.objective = made.model.training.objective;
    if (parse_spec(key.spec).method == "AQ") cell.quadratic = quadratic_seconds(made, index);
    return cell;
}

// Ranking is no part of it: queries are asked for one answer, which must be as near as that of the index.
QuerySeconds Laboratory::quadratic_seconds(const Fitted& made, const FlatIndex& index) const {
    const QuadraticScan scan(made.model, made.codes);
    std::vector<double> seconds;
    for (std::size_t q = 0; q < std::min(kQuadraticQueries, vectors_.queries.rows()); ++q) {
        check_interrupt();
        const MatrixView<float> query = vectors_.queries.view().slice(q, 1);
        const Stopwatch watch;
        const float score = scan.search(query, 1).scores[0][0];
        seconds.push_back(watch.seconds());
        const float other = index.search(query, {.k = 1}).scores[0][0];
        require(std::abs(score - other) <=
                    kRounding * (std::abs(other) +
                                 std::inner_product(query[0].begin(), query[0].end(), query[0].begin(), 0.0f)),
                "looking pairs of words up gave a distance of ", score, " where the index has ", other);
    }
    return quartiles(std::move(seconds));
}

// Reconstruction is timed only, on the queries that evaluate times: it is slow, and finds much the same.
Cell Laboratory::multi_index_cell(const PaperSet& set, const CellKey& key, const Execution& execution) {
    const Matrix<std::int64_t>& nearest = truth(set, Metric::euclidean, execution);
    const Listed made = listed(set, key.spec, execution);
    const MatrixView<float> queries = vectors_.queries.view();
    SearchOptions options{.k = nearest.columns(), .candidates = key.candidates, .execution = run_.silent_execution()};
    Cell cell{evaluate(made.index, queries, nearest.view(), options)};
    options.scoring = Scoring::reconstruction;
    cell.reconstruct_seconds = batch_seconds(
        evaluate(made.index, queries.slice(0, std::min(kTimedQueries, queries.rows())), nearest.view(), options));
    cell.report.train_seconds = made.times.train;
    cell.report.encode_seconds = made.times.encode;
    cell.objective = made.index.quantizer().training.objective;
    return cell;
}

Cell Laboratory::retrieval_cell(const PaperSet& set, const CellKey& key, const Execution& execution) const {
    const Protocol protocol = *protocol_of(key.measure);
    const Relevance relevance = read_relevance(set.files.relevance.at(protocol), vectors_.base->rows);
    const Fitted made = fitted(set, key.spec, execution);
    const Index index(FlatIndex(made.model, made.codes, Metric::euclidean));
    Cell cell;
    Report& report = cell.report;
    report.vectors = index.size();
    report.dimensions = index.dimensions();
    report.queries = relevance.queries.size();
    report.k = needed_answers(protocol, index.size());
    report.code_bytes = index.code_bytes();
    report.memory_bytes = index.memory_bytes();
    report.train_seconds = made.times.train;
    report.encode_seconds = made.times.encode;
    const Neighbors found = index.search(listed_queries(read_all(*vectors_.base), relevance).view(),
                                         {.k = report.k, .execution = run_.silent_execution()});
    cell.retrieval = judged(protocol, found, relevance);
    return cell;
}

Cell Laboratory::measure(const PaperSet& set, const CellKey& key, const Execution& execution) {
    use(set);
    Cell cell = key.measure == Measure::multi_index ? multi_index_cell(set, key, execution)
                : protocol_of(key.measure)          ? retrieval_cell(set, key, execution)
                                                    : search_cell(set, key, execution);
    cell.report.method = key.spec;
    cell.sources = kSourcesName;
    cell.machine = options_.machine;
    save_text(cell_path(set, key), to_json(key, cell).dump(1) + "\n");
    return cell;
}

}  // namespace summand::cli
