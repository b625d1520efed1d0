#include "search_options.h"

#include <charconv>
#include <cmath>
#include <string>

namespace summand::cli {

namespace {

std::string reach_error(const std::string& text) {
    float reach = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), reach);
    const bool right = status == std::errc() && end == text.data() + text.size() && reach >= 1 && std::isfinite(reach);
    return right ? "" : "expected a number of at least 1, got '" + text + "'";
}

}  // namespace

void add_refine_file(CLI::App& verb, OpenOptions& options) {
    verb.add_option("--refine-file", options.vectors,
                    "Where the vectors of Refine(flat) are now, if not where the index was told")
        ->type_name("FILE");
}

void add_probes(CLI::App& verb, ProbeOptions& options) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    SearchParameters& parameters = options.parameters;
    CLI::Option* probes = verb.add_option("--probes", parameters.probes, "Cells to visit, of an inverted index (16)")
                              ->check(whole_number(1, kMost));
    CLI::Option* reach =
        verb.add_option("--reach", parameters.reach,
                        "Visit the cells that are up to so many times as far from the query as its eighth nearest one "
                        "(1.1), at most --probes of them where that is given")
            ->check(CLI::Validator(reach_error, ""))
            ->type_name("FACTOR");
    verb.add_option("--candidates", parameters.candidates,
                    "Vectors to look at: cells are visited until there are as many")
        ->check(whole_number(1, kMost))
        ->excludes(probes)
        ->excludes(reach);
    verb.add_option("--refine", parameters.refine,
                    "Candidates that the second layer, Refine(...), scores again (4 for each neighbour); 0: none")
        ->check(whole_number(0, kMost));
    add_refine_file(verb, options.opening);
    verb.add_flag("--reconstruct", options.reconstruct,
                  "Score vectors of an inverted index by putting them together again, without tables; for comparison");
}

Index load_for_search(const std::string& path, const ProbeOptions& options) {
    Index index = Index::open(path, options.opening);
    const SearchParameters& parameters = options.parameters;
    const bool asks_cells =
        parameters.probes > 0 || parameters.reach > 0 || parameters.candidates > 0 || options.reconstruct;
    require(index.inverted() || !asks_cells, path,
            ": has no cells, expected an inverted index (--spec IVF1024,LOCQ8) for --probes, --reach, --candidates and "
            "--reconstruct");
    require(index.refinement() || parameters.refine.value_or(0) == 0, path,
            ": has no second layer, expected one (--spec PQ8,Refine(LOCQ8)) for --refine");
    return index;
}

SearchOptions search_options(const ProbeOptions& options, std::size_t k, const Execution& execution) {
    return SearchOptions{
        .k = k, .scoring = options.reconstruct ? Scoring::reconstruction : Scoring::tables, .execution = execution}
        .with(options.parameters);
}

}  // namespace summand::cli
