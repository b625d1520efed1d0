#include "campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "summand/text.h"

namespace summand::cli {
namespace {

// How long a method takes beside the others, roughly: for the share of the whole that is done.
double usual_cost(const CellKey& key) {
    if (key.measure != Measure::search && key.measure != Measure::multi_index) return 1;
    constexpr std::pair<std::string_view, double> kCosts[] = {{"PQ", 1},  {"ITQ", 1}, {"OPQ", 3},  {"CQ", 4},
                                                              {"OCQ", 8}, {"AQ", 20}, {"AQe", 20}, {"OTQ", 10}};
    constexpr double kOther = 6;
    const std::string method = parse_index_spec(key.spec).code.method;
    const auto found =
        std::find_if(std::begin(kCosts), std::end(kCosts), [&](const auto& c) { return c.first == method; });
    return found == std::end(kCosts) ? kOther : found->second;
}

double cost(const PaperSet& set, const CellKey& key) {
    const Spec spec = parse_index_spec(key.spec).code;
    const double bytes = static_cast<double>(spec.method == "ITQ" ? spec.dictionaries / 8 : spec.dictionaries);
    return usual_cost(key) * (2 + bytes) * static_cast<double>((set.base + 4 * set.learn) * (100 + set.dimensions));
}

std::string what(const CellKey& key) {
    std::string text = key.spec;
    if (key.measure != Measure::search) text += fmt::format(", {}", name(key.measure));
    if (key.candidates > 0) text += fmt::format(", L = {}", grouped(key.candidates));
    return text;
}

std::string found(const Cell& cell) {
    if (cell.retrieval >= 0) return fmt::format("{:.3f}", cell.retrieval);
    return fmt::format("recall@10 {:.3f}", cell.report.recall_at(10));
}

struct Task {
    const PaperSet* set;
    CellKey key;
    double cost;
};

// Shows the share of the whole that is done, what is under way and when all will be done.
class Overview {
public:
    Overview(const std::vector<Task>& tasks, Run& run) : run_(run), count_(tasks.size()) {
        for (const Task& task : tasks) all_ += task.cost;
    }

    Execution execution(const Task& task) {
        Execution execution = run_.silent_execution();
        execution.progress = [this, &task](const Progress& inner) { show(task, inner); };
        return execution;
    }

    void finish(const Task& task, const Cell& cell) {
        done_ += task.cost;
        ++finished_;
        run_.display().note(fmt::format("{}/{}  {}: {}, {}{}", finished_, count_, task.set->title, what(task.key),
                                        found(cell), remaining()));
    }

private:
    std::string remaining() const {
        if (done_ <= 0 || finished_ == count_) return "";
        return "  ETA " + duration(watch_.seconds() * (all_ - done_) / done_);
    }

    void show(const Task& task, const Progress& inner) {
        run_.display().update("paper", all_ > 0 ? done_ / all_ : 0, [&] {
            return fmt::format("cell {}/{}{}  {}: {}, {} {}/{}", finished_ + 1, count_, remaining(), task.set->title,
                               task.key.spec, inner.stage, grouped(inner.step), grouped(inner.steps));
        });
    }

    Run& run_;
    std::size_t count_, finished_ = 0;
    double all_ = 0, done_ = 0;
    Stopwatch watch_ = {};
};

const PaperSet& set_of(const CampaignOptions& options, const CellKey& key) {
    return *std::find_if(options.sets.begin(), options.sets.end(),
                         [&](const PaperSet& set) { return set.files.name == key.set; });
}

// The cells that an experiment asks for on one set.
std::set<CellKey> asked(const CampaignOptions& options, const Experiment& experiment, const PaperSet& set) {
    std::set<CellKey> keys;
    const Cell none;
    const std::vector<PaperSet> alone = {set};
    experiment.run({alone, options.bits, options.iterations, [&](const CellKey& key) -> const Cell& {
                        keys.insert(key);
                        return none;
                    }});
    return keys;
}

// Cells of one set after the other, so that its vectors are read once; plain searches first, whose models others use.
std::vector<CellKey> needed_cells(const CampaignOptions& options) {
    std::set<CellKey> keys;
    for (const Experiment& experiment : options.experiments)
        for (const PaperSet& set : options.sets) keys.merge(asked(options, experiment, set));
    std::vector<CellKey> ordered(keys.begin(), keys.end());
    std::stable_sort(ordered.begin(), ordered.end(), [](const CellKey& a, const CellKey& b) {
        return std::pair(a.set, a.measure) < std::pair(b.set, b.measure);
    });
    return ordered;
}

std::string unfinished(const std::vector<std::string>& titles) {
    return fmt::format("Not finished: {} {} left out here, because not all cells of it are measured yet.",
                       fmt::join(titles, ", "), titles.size() == 1 ? "is" : "are");
}

// What an experiment finds on the sets of which it has all cells.
Findings findings(const CampaignOptions& options, const Experiment& experiment, const std::map<CellKey, Cell>& cells) {
    std::vector<PaperSet> complete;
    std::vector<std::string> others;
    for (const PaperSet& set : options.sets) {
        const std::set<CellKey> keys = asked(options, experiment, set);
        if (std::all_of(keys.begin(), keys.end(), [&](const CellKey& key) { return cells.contains(key); }))
            complete.push_back(set);
        else
            others.push_back(set.title);
    }
    Findings found;
    if (!complete.empty())
        found = experiment.run({complete, options.bits, options.iterations,
                                [&](const CellKey& key) -> const Cell& { return cells.at(key); }});
    if (!others.empty()) found.notes.push_back(unfinished(others));
    return found;
}

void conclude(const CampaignOptions& options, CampaignResult& result) {
    result.results.clear();
    for (const Experiment& experiment : options.experiments)
        result.results.push_back({experiment, findings(options, experiment, result.cells)});
}

}  // namespace

void run_campaign(const CampaignOptions& options, Laboratory& laboratory, Run& run,
                  const std::function<void(const CampaignResult&)>& publish) {
    CampaignResult result;
    std::vector<Task> tasks;
    for (const CellKey& key : needed_cells(options)) {
        const PaperSet& set = set_of(options, key);
        if (const auto cell = laboratory.find(set, key))
            result.cells[key] = *cell;
        else
            tasks.push_back({&set, key, cost(set, key)});
    }
    run.display().note(
        fmt::format("{} cells, {} of them finished before", result.cells.size() + tasks.size(), result.cells.size()));
    const auto tell = [&](std::size_t missing) {
        result.missing = missing;
        conclude(options, result);
        publish(result);
    };
    if (!result.cells.empty() || tasks.empty()) tell(tasks.size());
    Overview overview(tasks, run);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        check_interrupt();
        const Task& task = tasks[i];
        const Cell& cell = result.cells[task.key] = laboratory.measure(*task.set, task.key, overview.execution(task));
        tell(tasks.size() - i - 1);
        overview.finish(task, cell);
    }
}

}  // namespace summand::cli
