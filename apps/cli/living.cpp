// summand create, add, update, remove, compact, merge, split, retrain, repair: an index in a folder. Each commits once
// and says what it did.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "filter_option.h"
#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct CreateOptions {
    std::string folder, learn, model;
    LearnOptions learning;
    RunOptions run;
};

struct AddOptions {
    std::string folder, vectors, ids;
    bool replace = false;
    std::size_t commit_every = 0;
    RunOptions run;
};

struct RemoveOptions {
    std::string folder, ids, filter;
    RunOptions run;
};

struct FolderOptions {
    std::string folder;
    bool tiers = false;
    RunOptions run;
};

nlohmann::ordered_json figures_of(const LivingInfo& info) {
    return {{"spec", info.spec},
            {"metric", name(info.metric)},
            {"vectors", info.vectors},
            {"removed", info.dead},
            {"ids", info.named ? "texts" : "numbers"},
            {"next_id", info.next_id},
            {"segments", info.segments.size()},
            {"commit", info.commit}};
}

std::string segments_text(std::size_t count) {
    return count == 1 ? "1 segment" : fmt::format("{} segments", grouped(count));
}

// A line for people, and what was measured for --json.
void tell(const std::string& folder, const std::string& what, const LivingInfo& info, nlohmann::ordered_json measured,
          Run& run) {
    run.display().erase();
    run.print(fmt::format("{}: {}; {} vectors in {}", folder, what, grouped(info.vectors),
                          segments_text(info.segments.size())));
    measured.update(figures_of(info));
    run.write_json(measured);
}

void run_create(const CreateOptions& options) {
    Run run(options.run);
    require(options.learn.empty() != options.model.empty(),
            "create: expected vectors to learn from, --learn, or --model");
    check_outputs({options.learn, options.model}, {{options.run.json}});
    const BuildSettings settings = build_settings(options.learning, options.run, run);
    const Stopwatch watch;
    const LivingIndex index =
        options.model.empty()
            ? LivingIndex::create(options.folder, VectorSource::file(options.learn), options.learning.spec, settings)
            : LivingIndex::create(options.folder, load_index_model(options.model), settings.metric, settings.seed);
    tell(options.folder, fmt::format("{}, learnt in {}", index.spec(), duration(watch.seconds())), index.info(),
         {{"seconds", watch.seconds()}}, run);
}

using Ids = std::variant<std::vector<std::int64_t>, std::vector<std::string>>;

// Numbers or texts, as the index has them. Where it never had any, text that is no list of numbers holds texts.
Ids read_given_ids(const std::string& path, const LivingIndex& index) {
    const LivingInfo info = index.info();
    if (info.named || (info.next_id == 0 && !holds_id_list(path))) return read_names(path);
    return read_id_list(path);
}

Ids ids_of(const AddOptions& options, const VectorSource& vectors, const LivingIndex& index) {
    Ids ids = read_given_ids(options.ids, index);
    const std::size_t count = std::visit([](const auto& given) { return given.size(); }, ids);
    require(count == vectors.rows, options.ids, ": expected an id for each of the ", vectors.rows, " vectors of ",
            vectors.name, ", got ", count);
    return ids;
}

// Vectors that are committed every so often come in pieces; all others are one commit.
template <class Add>
void in_pieces(const VectorSource& vectors, std::size_t every, const Add& add) {
    const std::size_t size = every == 0 ? vectors.rows : every;
    for (std::size_t first = 0; first < vectors.rows; first += size) {
        check_interrupt();
        const std::size_t rows = std::min(size, vectors.rows - first);
        const VectorSource piece(
            rows, vectors.columns,
            [&vectors, first](std::size_t from, std::size_t count) { return vectors.read(first + from, count); },
            vectors.name);
        add(piece, first);
    }
}

enum class Change { add, update };

void change(const AddOptions& options, Change what) {
    Run run(options.run);
    check_outputs({options.vectors, options.ids}, {{options.run.json}});
    LivingIndex index = LivingIndex::open(options.folder, Access::write);
    const VectorSource vectors = VectorSource::file(options.vectors);
    std::optional<Ids> ids;
    if (!options.ids.empty()) ids = ids_of(options, vectors, index);
    const Stopwatch watch;
    in_pieces(vectors, options.commit_every, [&](const VectorSource& piece, std::size_t first) {
        const Execution execution = run.execution();
        if (!ids) {
            index.add(piece, execution);
            return;
        }
        const auto put = [&](const auto& given) {
            const auto own = std::span(given).subspan(first, piece.rows);
            if (what == Change::update)
                index.update(piece, own, execution);
            else
                index.add(piece, own, options.replace ? Duplicates::replace : Duplicates::refuse, execution);
        };
        about(options.ids, [&] { std::visit(put, *ids); });
    });
    const double seconds = watch.seconds();
    tell(options.folder,
         fmt::format("{} {} in {}", what == Change::update ? "replaced" : "added", grouped(vectors.rows),
                     duration(seconds)),
         index.info(), {{"added", vectors.rows}, {"seconds", seconds}}, run);
}

void run_add(const AddOptions& options) { change(options, Change::add); }
void run_update(const AddOptions& options) { change(options, Change::update); }

void run_remove(const RemoveOptions& options) {
    Run run(options.run);
    check_outputs({options.ids}, {{options.run.json}});
    require(options.ids.empty() != options.filter.empty(), "remove: expected --ids or --filter");
    LivingIndex index = LivingIndex::open(options.folder, Access::write);
    std::size_t removed = 0;
    std::string asked;
    if (options.filter.empty()) {
        const auto take = [&](const auto& ids) {
            removed = index.remove(ids);
            asked = fmt::format(" of {} ids", grouped(ids.size()));
        };
        std::visit(take, read_given_ids(options.ids, index));
    } else {
        removed = index.remove(parse_filter(options.filter, index));
    }
    tell(options.folder, fmt::format("removed {}{}", grouped(removed), asked), index.info(), {{"removed_now", removed}},
         run);
}

void run_compact(const FolderOptions& options) {
    Run run(options.run);
    check_outputs({}, {{options.run.json}});
    LivingIndex index = LivingIndex::open(options.folder, Access::write);
    const std::size_t before = index.info().segments.size();
    const Stopwatch watch;
    index.compact(options.tiers ? Compaction::tiers : Compaction::all, run.execution());
    tell(options.folder, fmt::format("compacted {} in {}", segments_text(before), duration(watch.seconds())),
         index.info(), {{"segments_before", before}, {"seconds", watch.seconds()}}, run);
}

void run_repair(const FolderOptions& options) {
    Run run(options.run);
    check_outputs({}, {{options.run.json}});
    const Repaired repaired = LivingIndex::repair(options.folder);
    for (const std::string& loss : repaired.losses) run.print(loss);
    tell(options.folder,
         repaired.losses.empty() ? "nothing is damaged" : fmt::format("lost {} vectors", grouped(repaired.vectors)),
         LivingIndex::open(options.folder).info(), {{"losses", repaired.losses}, {"vectors_lost", repaired.vectors}},
         run);
}

struct ShardOptions {
    std::string folder;
    std::vector<std::string> others;
    RunOptions run;
};

struct RetrainOptions {
    std::string folder, vectors, ids;
    LearnOptions learning;
    RunOptions run;
};

void run_merge(const ShardOptions& options) {
    Run run(options.run);
    check_outputs({}, {{options.run.json}});
    LivingIndex index = LivingIndex::open(options.folder, Access::write);
    for (const std::string& other : options.others) {
        check_interrupt();
        index.merge(other);
    }
    tell(options.folder, fmt::format("merged {} more", options.others.size()), index.info(), {}, run);
}

void run_split(const ShardOptions& options) {
    Run run(options.run);
    check_outputs({}, {{options.run.json}});
    const LivingIndex index = LivingIndex::open(options.folder);
    index.split(options.others);
    tell(options.folder, fmt::format("split into {}", options.others.size()), index.info(), {}, run);
}

void run_retrain(const RetrainOptions& options) {
    Run run(options.run);
    check_outputs({options.vectors, options.ids}, {{options.run.json}});
    LivingIndex index = LivingIndex::open(options.folder, Access::write);
    const BuildSettings settings = build_settings(options.learning, options.run, run);
    const Stopwatch watch;
    if (options.vectors.empty())
        index.retrain(options.learning.spec, settings);
    else
        std::visit(
            [&](const auto& ids) {
                index.retrain(VectorSource::file(options.vectors), ids, options.learning.spec, settings);
            },
            read_given_ids(options.ids, index));
    tell(options.folder, fmt::format("{}, learnt and encoded in {}", index.spec(), duration(watch.seconds())),
         index.info(), {{"seconds", watch.seconds()}}, run);
}

void add_folder(CLI::App& verb, std::string& folder) {
    verb.add_option("DIR", folder, "Folder of the index")->required()->type_name("FOLDER");
}

void add_vectors(CLI::App& verb, AddOptions& options) {
    add_folder(verb, options.folder);
    verb.add_option("VECTORS", options.vectors, "Vectors to take, read in chunks")->required();
    verb.add_option("--commit-every", options.commit_every,
                    "Commit after so many vectors; default: once, so that all appear together or none");
}

}  // namespace

void add_create(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "create", "Make an index in a folder, to which vectors can be added",
                                    "summand create photos --spec IVF1024,LOCQ8 --learn learn.fvecs", run_create);
    verb.add_option("DIR", options->folder, "Folder to make, or an empty one")->required()->type_name("FOLDER");
    add_spec(verb, options->learning.spec, usual_codes());
    verb.add_option("-l,--learn", options->learn, "Vectors to learn cells and words from");
    CLI::Option* model = verb.add_option("--model", options->model, "Model to use instead of learning");
    for (const char* learning : {"--spec", "--learn"}) model->excludes(verb.get_option(learning));
    add_learn_size(verb, options->learning.learn_size);
    add_metric(verb, options->learning.metric);
    add_seed(verb, options->run);
    add_run(verb, options->run);
}

void add_add(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "add", "Add vectors to an index in a folder",
                                    "summand add photos new.fvecs --ids new.ivecs", run_add);
    add_vectors(verb, *options);
    verb.add_option(
        "--ids", options->ids,
        "Ids of the vectors: numbers (.ivecs .ibin .npy or text), or a text in each line; the first vectors decide "
        "which. Without it, numbers go on from the largest so far");
    verb.add_flag("--replace", options->replace, "Replace vectors whose ids are in the index, instead of refusing them")
        ->needs(verb.get_option("--ids"));
    add_run(verb, options->run);
}

void add_update(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "update", "Replace vectors of an index in a folder",
                                    "summand update photos changed.fvecs --ids changed.ivecs", run_update);
    add_vectors(verb, *options);
    verb.add_option("--ids", options->ids, "Their ids, all of them in the index; a file as for add")->required();
    add_run(verb, options->run);
}

void add_remove(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "remove", "Remove vectors from an index in a folder",
                                    "summand remove photos --ids gone.ivecs", run_remove);
    add_folder(verb, options->folder);
    CLI::Option* ids = verb.add_option("--ids", options->ids,
                                       "Ids to remove, a file as for add; those that are not there are no error");
    verb.add_option("--filter", options->filter, "Instead: ids such as 0-999,2000,3000-, or @FILE as for search")
        ->excludes(ids)
        ->type_name("IDS");
    add_run(verb, options->run);
}

void add_compact(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "compact", "Merge the segments of an index in a folder",
                                    "summand compact photos", run_compact);
    add_folder(verb, options->folder);
    verb.add_flag("--tiers", options->tiers,
                  "Merge only segments of similar size, at least four; default: all into one");
    add_run(verb, options->run);
}

void add_merge(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "merge", "Take over the vectors of other indexes of the same model",
                                    "summand merge photos photos-2 photos-3", run_merge);
    add_folder(verb, options->folder);
    verb.add_option("OTHERS", options->others, "Folders to take over; they stay as they are")->required();
    add_run(verb, options->run);
}

void add_split(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "split", "Divide an index in a folder by ids",
                                    "summand split photos photos-1 photos-2", run_split);
    add_folder(verb, options->folder);
    verb.add_option("PARTS", options->others, "Folders to make, two or more: an id goes to part id modulo their number")
        ->required();
    add_run(verb, options->run);
}

void add_retrain(CLI::App& app, Chosen& chosen) {
    auto [verb, options] =
        add_verb(app, chosen, "retrain", "Learn a new model for an index in a folder, and encode anew",
                 "summand retrain photos --spec IVF4096,LOCQ8 --vectors all.fvecs --ids all.ivecs", run_retrain);
    add_folder(verb, options->folder);
    add_spec(verb, options->learning.spec, "that of the index");
    CLI::Option* vectors = verb.add_option("--vectors", options->vectors,
                                           "Vectors of all ids, where the index keeps none (Refine(fp32), fp16 or u8)");
    verb.add_option("--ids", options->ids, "Their ids, a file as for add")->needs(vectors);
    vectors->needs(verb.get_option("--ids"));
    add_learn_size(verb, options->learning.learn_size);
    add_seed(verb, options->run);
    add_run(verb, options->run);
}

void add_repair(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "repair", "Drop what is damaged of an index in a folder",
                                    "summand repair photos", run_repair);
    add_folder(verb, options->folder);
    add_run(verb, options->run);
}

}  // namespace summand::cli
