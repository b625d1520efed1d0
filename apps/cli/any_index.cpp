#include "any_index.h"

namespace summand::cli {
namespace {

std::variant<FlatIndex, InvertedIndex> load(const std::string& path) {
    if (container_info(path).kind == "inverted index") return load_inverted_index(path);
    return load_index(path);
}

}  // namespace

void add_probes(CLI::App& verb, ProbeOptions& options) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    CLI::Option* probes = verb.add_option("--probes", options.probes, "Cells to visit, of an inverted index (16)")
                              ->check(whole_number(1, kMost));
    verb.add_option("--candidates", options.candidates, "Vectors to look at: cells are visited until there are as many")
        ->check(whole_number(1, kMost))
        ->excludes(probes);
    verb.add_flag("--reconstruct", options.reconstruct,
                  "Score vectors of an inverted index by putting them together again, without tables; for comparison");
}

AnyIndex::AnyIndex(const std::string& path, const ProbeOptions& probes)
    : path_(path), index_(load(path)), probes_(probes) {
    require(std::holds_alternative<InvertedIndex>(index_) ||
                (probes.probes == 0 && probes.candidates == 0 && !probes.reconstruct),
            path,
            ": has no cells, expected an inverted index (--spec IVF1024,LOCQ8) for --probes, --candidates and "
            "--reconstruct");
}

std::size_t AnyIndex::size() const {
    return std::visit([](const auto& index) { return index.size(); }, index_);
}

std::size_t AnyIndex::dimensions() const {
    if (const auto* flat = std::get_if<FlatIndex>(&index_)) return flat->quantizer().dimensions();
    return std::get<InvertedIndex>(index_).model().quantizer.dimensions();
}

Metric AnyIndex::metric() const {
    if (const auto* flat = std::get_if<FlatIndex>(&index_)) return flat->metric();
    return std::get<InvertedIndex>(index_).model().metric;
}

InvertedSearchOptions AnyIndex::options(std::size_t k, const Execution& execution) const {
    InvertedSearchOptions options{.k = k, .candidates = probes_.candidates, .execution = execution};
    if (probes_.reconstruct) options.scoring = Scoring::reconstruction;
    if (probes_.probes > 0) options.probes = probes_.probes;
    return options;
}

Neighbors AnyIndex::search(MatrixView<float> queries, std::size_t k, const Execution& execution) const {
    if (const auto* flat = std::get_if<FlatIndex>(&index_))
        return flat->search(queries, {.k = k, .execution = execution});
    return std::get<InvertedIndex>(index_).search(queries, options(k, execution));
}

Report AnyIndex::evaluate(MatrixView<float> queries, MatrixView<std::int64_t> truth, std::size_t k,
                          const Execution& execution) const {
    if (const auto* flat = std::get_if<FlatIndex>(&index_))
        return summand::evaluate(*flat, queries, truth, {.k = k, .execution = execution});
    return summand::evaluate(std::get<InvertedIndex>(index_), queries, truth, options(k, execution));
}

}  // namespace summand::cli
