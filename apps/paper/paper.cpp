// summand-paper: the experiments of the composite quantization paper on the data that is there, as a page and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "program.h"
#include "report.h"
#include "summand/text.h"
#include "text_file.h"
#include "tool.h"

namespace summand::cli {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kFastBase = 3'000, kFastLearn = 1'200, kFastQueries = 300;
constexpr double kFastIterations = 0.2;
constexpr std::size_t kMostBits = 8 * kMaxDictionaries, kMostParts = 1000;

struct Options {
    std::string data = ".", output = "paper";
    std::vector<std::string> sets, experiments, learn_sizes, merged;
    std::vector<std::size_t> bits = {32, 64, 128};
    SampleSizes sizes;
    std::size_t slice_base = 100'000, slice_learn = 50'000;
    std::string part = "1/1";
    bool fast = false;
    RunOptions run;
};

void check_bits(const std::vector<std::size_t>& lengths) {
    for (const std::size_t bits : lengths)
        require(bits >= 16 && bits <= kMostBits && bits % 8 == 0, "expected --bits that are multiples of 8 from 16 to ",
                kMostBits, ", got ", bits);
}

SampleSizes sizes_of(const Options& options, const std::vector<DataFiles>& sets) {
    SampleSizes sizes = options.sizes;
    for (const std::string& text : options.learn_sizes) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        require(std::any_of(sets.begin(), sets.end(), [&](const DataFiles& set) { return set.name == name; }),
                "--learn-size-of ", text, ": no data set '", name, "' in this run");
        sizes.learn_of[name] = std::stoull(text.substr(equals + 1));
    }
    if (!options.fast) return sizes;
    for (auto& [name, size] : sizes.learn_of) size = std::min(size, kFastLearn);
    sizes.base = std::min(sizes.base, kFastBase);
    sizes.learn = std::min(sizes.learn, kFastLearn);
    sizes.queries = std::min(sizes.queries, kFastQueries);
    return sizes;
}

// The same set, smaller: fewer vectors to search in and to learn from, the same queries.
SampleSizes slice_of(const PaperSet& set, const Options& options) {
    SampleSizes sizes = set.sizes;
    sizes.base = std::min(set.base, options.slice_base);
    sizes.learn_of[set.files.name] = std::min(set.learn, options.slice_learn);
    return sizes;
}

Part part_of(const std::string& text) {
    const std::size_t slash = text.find('/');
    return {std::stoull(text.substr(0, slash)), std::stoull(text.substr(slash + 1))};
}

std::string bad_part(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash != std::string::npos) {
        const std::string count = text.substr(slash + 1);
        if (whole_number(1, kMostParts)(count).empty() &&
            whole_number(1, std::stoull(count))(text.substr(0, slash)).empty())
            return "";
    }
    return "expected a part such as 2/8, got '" + text + "'";
}

// Cells that other runs have measured, of the same or of other parts.
void take_cells(const Options& options) {
    namespace fs = std::filesystem;
    const fs::path own = fs::path(options.output) / "cache" / "cells";
    fs::create_directories(own);
    for (const std::string& folder : options.merged) {
        const fs::path cells = fs::path(folder) / "cache" / "cells";
        require(fs::is_directory(cells), cells.string(), ": expected the cells of another run, found no such folder");
        for (const fs::directory_entry& entry : fs::directory_iterator(cells)) {
            check_interrupt();
            const fs::path copy = own / entry.path().filename();
            if (entry.path().extension() != ".json" || fs::exists(copy)) continue;
            if (const auto text = read_text(entry.path())) save_text(copy, *text);
        }
    }
}

void tell_cost(const CampaignCost& cost, const Run& run) {
    run.print(fmt::format("{} cells, {} to measure here: about {} on one thread and an idle machine", cost.cells,
                          cost.missing, duration(cost.seconds)));
}

void run_paper(const Options& options) {
    Run run(options.run);
    check_bits(options.bits);
    CampaignOptions campaign{.experiments = chosen_experiments(options.experiments),
                             .sets = {},
                             .slices = {},
                             .bits = options.bits,
                             .iterations = options.fast ? kFastIterations : 1,
                             .part = part_of(options.part),
                             .seed = options.run.seed};
    const std::vector<DataFiles> found = find_data_sets(options.data, options.sets);
    const SampleSizes sizes = sizes_of(options, found);
    for (const DataFiles& files : found) {
        campaign.sets.push_back(describe_set(files, sizes, Extent::whole, options.run.seed));
        const PaperSet& set = campaign.sets.back();
        const bool small = set.base <= options.slice_base && set.learn <= options.slice_learn;
        campaign.slices.push_back(small ? set
                                        : describe_set(files, slice_of(set, options), Extent::slice, options.run.seed));
        run.display().note(fmt::format("{}: {} of {} vectors to search, {} to learn from, {} queries, {} dimensions",
                                       set.title, grouped(set.base), grouped(set.base_rows), grouped(set.learn),
                                       grouped(set.queries), set.dimensions));
    }
    const std::string machine = machine_name(options.run.threads);
    take_cells(options);
    Laboratory laboratory({options.output + "/cache", machine, options.run.seed}, run);
    if (options.run.dry_run) {
        tell_cost(campaign_cost(campaign, laboratory), run);
        return;
    }
    PaperReport report;
    report.options = campaign;
    report.machine = machine;
    report.seed = options.run.seed;
    run_campaign(campaign, laboratory, run, [&](const CampaignResult& result) {
        report.result = result;
        save_text(options.output + "/report.json", to_json(report).dump() + "\n");
        save_text(options.output + "/report.html", html(report));
        save_text(options.output + "/summary.md", summary(report));
    });
    for (const ExperimentResult& one : report.result.results) {
        const Verdict judged = verdict(one.findings);
        run.print(fmt::format("{:<62} {:<15} {:>3} of {} checks hold", one.experiment.title, judged.word, judged.held,
                              judged.all));
    }
    run.print(fmt::format("\nThe tables and plots are in {}/report.html", options.output));
}

std::string bad_set_size(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) return "expected NAME=SIZE, got '" + text + "'";
    return whole_number(1, kAll)(std::string(text.substr(equals + 1)));
}

void add_sizes(CLI::App& app, Options& options) {
    SampleSizes& sizes = options.sizes;
    app.add_option("--base-size", sizes.base, "Vectors of each set to search in, at most")
        ->check(whole_number(1, kAll))
        ->capture_default_str();
    app.add_option("--learn-size", sizes.learn, "Vectors of each set to learn from, at most")
        ->check(whole_number(1, kAll))
        ->capture_default_str();
    app.add_option("--learn-size-of", options.learn_sizes, "NAME=SIZE: the learn size of one set")
        ->check(CLI::Validator(bad_set_size, "NAME=SIZE"));
    app.add_option("--query-size", sizes.queries, "Queries of each set, at most")
        ->check(whole_number(1, kAll))
        ->capture_default_str();
}

void add_options(CLI::App& app, Options& options) {
    app.add_option("-d,--data", options.data,
                   "Folder with data sets, or with folders of them: sift_base.fvecs, sift_query.fvecs and "
                   "sift_learn.fvecs, the same of any name, or the idx files of MNIST")
        ->capture_default_str();
    app.add_option("--set", options.sets, "Only these data sets, by name");
    app.add_option("-e,--experiment", options.experiments, "Only these experiments, by name");
    app.add_option("-b,--bits", options.bits, "Code lengths")->capture_default_str();
    app.add_flag("--fast", options.fast, "Small slices of the data and few iterations: everything in minutes");
    app.add_option("-o,--output", options.output,
                   "Folder for report.html, summary.md, report.json and a cache that a stopped run goes on from")
        ->capture_default_str();
    add_sizes(app, options);
    app.add_option("--slice-base", options.slice_base,
                   "Vectors to search in, at most, where variants and slow methods are compared")
        ->check(whole_number(1, kAll))
        ->capture_default_str();
    app.add_option("--slice-learn", options.slice_learn, "Vectors to learn from there, at most")
        ->check(whole_number(1, kAll))
        ->capture_default_str();
    app.add_option("--part", options.part, "Measure one of several parts, such as 2/8; other machines do the others")
        ->check(CLI::Validator(bad_part, "I/N"))
        ->capture_default_str();
    app.add_option("--merge", options.merged, "Output folders of other runs whose cells are taken");
    app.add_flag("--dry-run", options.run.dry_run, "Say how many cells there are and what they take, and stop");
    add_threads(app, options.run);
    add_seed(app, options.run);
    add_quiet(app, options.run);
}

int main(int count, char** arguments) {
    CLI::App app("Run the experiments of the composite quantization paper and write a report about them.",
                 "summand-paper");
    app.set_version_flag("--version", std::string(version()));
    app.footer("Example:\n  summand-paper --data DIR --set sift --bits 64 -o paper");
    Options options;
    add_options(app, options);
    return run_program(app, count, arguments, [&options] { run_paper(options); });
}

}  // namespace
}  // namespace summand::cli

int main(int count, char** arguments) { return summand::cli::main(count, arguments); }
