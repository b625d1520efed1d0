// Whether files are sound, and what to do where they are not.
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_set>

#include "io/atomic_file.h"
#include "io/file_calls.h"
#include "io/formats.h"
#include "io/index_sections.h"
#include "store/living_state.h"
#include "summand/aggregate.h"
#include "summand/error.h"
#include "summand/io.h"
#include "summand/unfinished_index.h"

namespace summand {
namespace {

using Problems = std::vector<std::string>;

// Adds what `work` says is wrong; false where it did.
template <class Work>
bool noted(Problems& problems, const Work& work) {
    try {
        work();
        return true;
    } catch (const Error& error) {
        problems.emplace_back(error.what());
        return false;
    }
}

void check_unique(const std::string& folder, const Snapshot& snapshot, Problems& problems) {
    std::vector<std::int64_t> ids;
    for (const LiveSegment& live : snapshot.segments)
        for (std::size_t row = 0; row < live.segment->ids.size; ++row)
            if (!live.dead || !live.dead->has(row)) ids.push_back(live.segment->ids[row]);
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    if (twice != ids.end()) problems.push_back(concatenate(folder, ": the id ", *twice, " is there twice"));
    std::unordered_set<std::string_view> names;
    for (const LiveSegment& live : snapshot.segments)
        for (std::size_t row = 0; row < live.segment->names.order.size(); ++row)
            if (!(live.dead && live.dead->has(row)) && !names.insert(live.segment->names[row]).second)
                problems.push_back(concatenate(folder, ": the id '", live.segment->names[row], "' is there twice"));
}

// Everything that the manifest names, each file by itself.
Problems problems_of(const std::string& folder, const Manifest& manifest) {
    Problems problems;
    Snapshot snapshot;
    if (!noted(problems, [&] { snapshot.model = load_model(folder, manifest); })) return problems;
    for (const Manifest::Entry& entry : manifest.segments) {
        std::shared_ptr<const Segment> segment;
        std::shared_ptr<const RowSet> dead;
        const bool sound =
            noted(problems,
                  [&] { segment = load_segment(folder, *snapshot.model, manifest, entry, Checking::at_once); }) &&
            noted(problems, [&] { dead = load_dead(folder, entry); });  // of as many rows as it has
        if (sound) snapshot.segments.push_back({std::move(segment), std::move(dead)});
    }
    if (problems.empty()) check_unique(folder, snapshot, problems);
    return problems;
}

// A writer may replace the manifest meanwhile; then what the new one names counts.
Problems verify_folder(const std::string& folder) {
    Problems problems;
    Manifest manifest;
    if (!noted(problems, [&] { manifest = read_manifest(folder); })) return problems;
    for (;;) {
        problems = problems_of(folder, manifest);
        if (problems.empty()) return problems;
        const Manifest now = read_manifest(folder);
        if (now == manifest) return problems;
        manifest = now;
    }
}

void verify_segment(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const Manifest manifest = read_manifest(folder);
    for (const Manifest::Entry& entry : manifest.segments)
        if (std::filesystem::equivalent(segment_path(folder, entry.number), path)) {
            load_segment(folder, *load_model(folder, manifest), manifest, entry, Checking::at_once);
            return;
        }
    throw Error(path + ": is named by no manifest in its folder");
}

void verify_container(const std::string& path, const std::string& kind) {
    if (kind == "model" || kind == "inverted model")
        load_index_model(path);
    else if (kind == "codes")
        load_codes(path);
    else if (kind == "checkpoint")
        load_checkpoint(path);
    else if (kind == "vocabulary")
        load_vocabulary(path);
    else if (kind == "manifest")
        read_manifest(std::filesystem::path(path).parent_path().string());
    else if (kind == "segment")
        verify_segment(path);
    else
        verify_index(path);
}

void verify_file(const std::string& path) {
    if (holds_unfinished_index(path)) return verify_unfinished_index(path);
    const auto format = parse_vector_path(path).format;
    if (!format) return verify_container(path, container_info(path).kind);
    const VectorReader reader(path);
    constexpr std::size_t kRows = 4096;
    for (std::size_t first = 0; first < reader.rows(); first += kRows)
        reader.read(first, std::min(kRows, reader.rows() - first));
}

// Nothing where there is no file. A file that cannot be read may be sound: that is an error and no damage.
Bytes bytes_of(const std::string& path) { return std::filesystem::exists(path) ? read_file(path) : Bytes(); }

// Rows whose vector was added again later, under the same id or name.
RowSet replaced_rows(const Segment& segment, const std::vector<LiveSegment>& others) {
    RowSet rows(segment.ids.size);
    for (std::size_t row = 0; row < segment.ids.size; ++row)
        for (const LiveSegment& other : others) {
            if (other.segment->number == segment.number) continue;
            const auto there = segment.names.empty() ? other.segment->ids.row_of(segment.ids[row])
                                                     : other.segment->names.row_of(segment.names[row]);
            if (there && !(other.dead && other.dead->has(*there))) rows.add(row);
        }
    return rows;
}

}  // namespace

std::vector<std::string> verify(const std::string& path) {
    if (LivingIndex::is_at(path)) return verify_folder(path);
    Problems problems;
    noted(problems, [&] { verify_file(path); });
    return problems;
}

Repaired LivingIndex::repair(const std::string& folder) {
    const FileLock lock(lock_path(folder), folder + ": another process or object writes to this index");
    Manifest manifest = read_manifest(folder);
    const auto model = load_model(folder, manifest);
    Repaired repaired;
    std::vector<LiveSegment> sound;
    std::vector<Manifest::Entry> kept, without_dead;
    for (const Manifest::Entry& entry : manifest.segments) {
        std::shared_ptr<const Segment> segment;
        const std::string path = segment_path(folder, entry.number);
        const Bytes bytes = bytes_of(path);
        if (!noted(repaired.losses, [&] { segment = load_segment(bytes, path, *model, manifest, entry); })) {
            repaired.losses.back() += concatenate("; its ", entry.vectors - entry.dead, " vectors are lost");
            repaired.vectors += entry.vectors - entry.dead;
            continue;
        }
        std::shared_ptr<const RowSet> dead;
        const std::string dead_file = dead_path(folder, entry.number, entry.dead_commit);
        const Bytes rows = entry.dead > 0 ? bytes_of(dead_file) : Bytes();
        const bool known = entry.dead == 0 || noted(repaired.losses, [&] { dead = load_dead(rows, dead_file, entry); });
        (known ? kept : without_dead).push_back(entry);
        sound.push_back({std::move(segment), std::move(dead)});
    }
    if (repaired.losses.empty()) return repaired;
    ++manifest.commit;
    for (Manifest::Entry& entry : without_dead) {
        const auto live = std::find_if(sound.begin(), sound.end(),
                                       [&](const LiveSegment& one) { return one.segment->number == entry.number; });
        const RowSet dead = replaced_rows(*live->segment, sound);
        repaired.losses.push_back(concatenate(segment_path(folder, entry.number), ": ",
                                              entry.dead - std::min<std::uint64_t>(entry.dead, dead.count()),
                                              " vectors that were removed are back"));
        entry = {.number = entry.number, .vectors = entry.vectors, .stamp = entry.stamp};
        if (dead.count() == dead.rows()) continue;
        if (dead.count() > 0) write_dead(folder, dead, manifest.commit, entry);
        live->dead = std::make_shared<const RowSet>(dead);
        kept.push_back(entry);
    }
    std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    manifest.segments = std::move(kept);
    sync_folder(folder);
    write_manifest(folder, manifest);
    remove_unnamed(folder, manifest);
    return repaired;
}

}  // namespace summand
