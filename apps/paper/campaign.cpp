#include "campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "summand/build.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

// A source of which only the size counts.
VectorSource sized(std::size_t rows, std::size_t columns) {
    return {rows, columns, [](std::size_t, std::size_t) -> Matrix<float> { throw Error("estimates read no vectors"); }};
}

// Training and encoding, which take nearly all of the time.
double model_seconds(const PaperSet& set, const std::string& spec, std::uint64_t seed) {
    const VectorSource learn = sized(set.learn, set.dimensions);
    const Estimate estimate =
        estimate_build(sized(set.base, set.dimensions), spec,
                       {.seed = seed, .learn = &learn, .learn_size = set.learn, .execution = {.threads = 1}});
    return estimate.train_seconds + estimate.work_seconds;
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
    double cost;  // seconds on one thread
};

constexpr double kSearchSeconds = 5;  // what a cell takes beside its model, roughly

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

const std::vector<PaperSet>& sets_of(const CampaignOptions& options, const Experiment& experiment) {
    return experiment.extent == Extent::whole ? options.sets : options.slices;
}

const PaperSet& set_of(const CampaignOptions& options, const CellKey& key) {
    for (const auto* sets : {&options.sets, &options.slices})
        for (const PaperSet& set : *sets)
            if (set.name == key.set) return set;
    throw Error(concatenate("paper: no data set '", key.set, "' in this run"));
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
        for (const PaperSet& set : sets_of(options, experiment)) keys.merge(asked(options, experiment, set));
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
    for (const PaperSet& set : sets_of(options, experiment)) {
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

// A task is said to cost what its model does, unless another task with the same model comes before it.
std::vector<Task> tasks_of(const CampaignOptions& options, const std::vector<CellKey>& keys) {
    std::set<std::pair<std::string, std::string>> models;
    std::vector<Task> tasks;
    for (const CellKey& key : keys) {
        const PaperSet& set = set_of(options, key);
        const bool first = models.emplace(key.set, key.spec).second;
        tasks.push_back({&set, key, kSearchSeconds + (first ? model_seconds(set, key.spec, options.seed) : 0)});
    }
    return tasks;
}

// The part that each model belongs to: the longest goes first, to the part that has least to do by then.
std::vector<Task> tasks_of_part(const std::vector<Task>& tasks, const Part& part) {
    using Model = std::pair<std::string, std::string>;
    std::map<Model, double> costs;
    for (const Task& task : tasks) costs[{task.key.set, task.key.spec}] += task.cost;
    std::vector<std::pair<Model, double>> longest(costs.begin(), costs.end());
    std::stable_sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<double> loads(part.count);
    std::set<Model> own;
    for (const auto& [model, cost] : longest) {
        const auto least = std::min_element(loads.begin(), loads.end());
        if (least - loads.begin() == static_cast<std::ptrdiff_t>(part.number - 1)) own.insert(model);
        *least += cost;
    }
    std::vector<Task> chosen;
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(chosen), [&](const Task& task) {
        return own.contains({task.key.set, task.key.spec});
    });
    return chosen;
}

struct Plan {
    CampaignResult known;
    std::vector<Task> missing;  // of all parts
};

Plan plan_of(const CampaignOptions& options, const Laboratory& laboratory) {
    Plan plan;
    std::vector<CellKey> missing;
    for (const CellKey& key : needed_cells(options))
        if (const auto cell = laboratory.find(set_of(options, key), key))
            plan.known.cells[key] = *cell;
        else
            missing.push_back(key);
    plan.missing = tasks_of(options, missing);
    return plan;
}

}  // namespace

CampaignCost campaign_cost(const CampaignOptions& options, const Laboratory& laboratory) {
    const Plan plan = plan_of(options, laboratory);
    const std::vector<Task> own = tasks_of_part(plan.missing, options.part);
    CampaignCost cost{plan.known.cells.size() + plan.missing.size(), own.size(), 0};
    for (const Task& task : own) cost.seconds += task.cost;
    return cost;
}

void run_campaign(const CampaignOptions& options, Laboratory& laboratory, Run& run,
                  const std::function<void(const CampaignResult&)>& publish) {
    Plan plan = plan_of(options, laboratory);
    CampaignResult& result = plan.known;
    const std::vector<Task> tasks = tasks_of_part(plan.missing, options.part);
    run.display().note(fmt::format("{} cells, {} of them finished before", result.cells.size() + plan.missing.size(),
                                   result.cells.size()));
    const auto tell = [&](std::size_t missing) {
        result.missing = missing;
        conclude(options, result);
        publish(result);
    };
    if (!result.cells.empty() || tasks.empty()) tell(plan.missing.size());
    Overview overview(tasks, run);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        check_interrupt();
        const Task& task = tasks[i];
        const Cell& cell = result.cells[task.key] = laboratory.measure(*task.set, task.key, overview.execution(task));
        tell(plan.missing.size() - i - 1);
        overview.finish(task, cell);
    }
}

}  // namespace summand::cli
