// Writing a folder: every change is a manifest that names new files beside old ones. Files that no manifest names any
// more are removed last; a reader that has them open keeps them.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/hash.h"
#include "io/atomic_file.h"
#include "io/file_calls.h"
#include "store/living_state.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {
namespace {

Manifest::Entry entry_of(const Segment& segment) {
    return {.number = segment.number, .vectors = segment.ids.size, .stamp = segment.stamp};
}

std::set<std::string> files_of(const std::string& folder, const Manifest& manifest) {
    std::set<std::string> files{model_path(folder, manifest.generation)};
    if (manifest.refine == "codes") files.insert(refine_path(folder, manifest.generation));
    for (const Manifest::Entry& entry : manifest.segments) {
        files.insert(segment_path(folder, entry.number));
        if (entry.dead > 0) files.insert(dead_path(folder, entry.number, entry.dead_commit));
    }
    return files;
}

}  // namespace

Manifest::Entry write_new_segment(const std::string& folder, const StoreModel& model, Segment segment,
                                  std::uint64_t number, std::vector<std::string>& new_files) {
    segment.number = number;
    new_files.push_back(segment_path(folder, number));
    write_segment(new_files.back(), model, segment);
    segment.stamp = stamp_of(new_files.back());
    return entry_of(segment);
}

void remove_files(const std::vector<std::string>& files) {
    for (const std::string& file : files) file_calls::unlink(file.c_str());
}

SegmentRows live_rows(const StoreModel& model, const LiveSegment& live) {
    SegmentRows rows = model.rows_of(live.segment->index);
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < live.segment->ids.size; ++row) {
        rows.ids.push_back(live.segment->ids[row]);
        if (!live.segment->names.empty()) rows.names.emplace_back(live.segment->names[row]);
        if (!live.dead || !live.dead->has(row)) kept.push_back(row);
    }
    rows.sample = Reservoir(model.dimensions());
    const Segment& segment = *live.segment;
    for (std::size_t i = 0; i < segment.sample_rows.size(); ++i)
        rows.sample.add(segment.ids[segment.sample_rows[i]], segment.sample.data() + i * model.dimensions());
    SegmentRows result;
    append(rows, kept, result);
    return result;
}

void write_dead(const std::string& folder, const RowSet& dead, std::uint64_t commit, Manifest::Entry& entry) {
    const Bytes bytes = to_roaring(dead);
    entry.dead = dead.count();
    entry.dead_commit = commit;
    entry.dead_stamp = {bytes.size(), crc32_of(bytes.data(), bytes.size())};
    AtomicFile file(dead_path(folder, entry.number, commit));
    file.append(bytes);
    file.commit(NameLasts::after_sync);
}

void LivingIndex::State::publish(Manifest manifest, std::vector<std::string>& new_files) {
    const std::vector<std::string> written = std::exchange(new_files, {});  // which the manifest may name from now on
    std::set<std::string> gone = files_of(folder, committed.manifest);
    gone.insert(written.begin(), written.end());
    try {
        if (!written.empty()) sync_folder(folder);
        manifest.next_segment = next_segment;
        write_manifest(folder, manifest);
        Committed next = load(folder, std::move(manifest), &committed);
        for (const std::string& file : files_of(folder, next.manifest)) gone.erase(file);
        adopt(std::move(next));
    } catch (...) {
        recover(written);
        throw;
    }
    remove_files({gone.begin(), gone.end()});
}

// The manifest may have been replaced before the error; the folder says what is true. Where it cannot be read either,
// nothing is removed: old files are all there, and the next writer removes what no manifest names.
void LivingIndex::State::recover(const std::vector<std::string>& new_files) {
    try {
        if (read_manifest(folder) == committed.manifest)
            remove_files(new_files);
        else
            adopt(load_current(folder, &committed));
    } catch (const Error&) {
    }
}

void LivingIndex::State::adopt(Committed next) {
    const std::lock_guard own(guard);
    committed = std::move(next);
    pending = Pending(committed.snapshot, committed.manifest.next_id);
    changes = 0;
    shown.reset();
}

void LivingIndex::State::commit() {
    if (pending.empty()) {
        changes = 0;
        return;
    }
    const StoreModel& model = *committed.snapshot->model;
    try {
        with_new_files([&](std::vector<std::string>& files) {
            Manifest next = committed.manifest;
            ++next.commit;
            next.next_id = pending.next_id();
            next.named = named();
            for (const auto& [place, dead] : pending.dead())
                if (dead.count() < dead.rows()) {
                    files.push_back(dead_path(folder, next.segments[place].number, next.commit));
                    write_dead(folder, dead, next.commit, next.segments[place]);
                }
            if (const SegmentRows rows = pending.rows(); rows.size() > 0) {
                next.segments.push_back(
                    write_new_segment(folder, model, segment_of(model, rows), next_segment++, files));
            }
            for (auto dead = pending.dead().rbegin(); dead != pending.dead().rend(); ++dead)
                if (dead->second.count() == dead->second.rows())
                    next.segments.erase(next.segments.begin() + static_cast<std::ptrdiff_t>(dead->first));
            publish(std::move(next), files);
        });
    } catch (...) {
        const std::lock_guard own(guard);
        pending = Pending(committed.snapshot, committed.manifest.next_id);
        changes = 0;
        shown.reset();
        throw;
    }
}

// The rows are put together from a snapshot while others change the index. What died meanwhile is marked in the merged
// segment, in the same commit.
void LivingIndex::State::merge(const std::vector<std::uint64_t>& numbers) {
    const auto is_merged = [&](std::uint64_t number) {
        return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    };
    const std::shared_ptr<const Snapshot> before = [&] {
        const std::lock_guard own(guard);
        return committed.snapshot;
    }();
    SegmentRows rows;
    for (const LiveSegment& live : before->segments) {
        if (!is_merged(live.segment->number)) continue;
        const SegmentRows some = live_rows(*before->model, live);
        std::vector<std::size_t> all(some.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        append(some, all, rows);
    }
    with_new_files([&](std::vector<std::string>& files) {
        const Segment merged = segment_of(*before->model, rows);
        const std::uint64_t number = next_segment++;
        Manifest::Entry entry = write_new_segment(folder, *before->model, merged, number, files);
        const std::lock_guard exclusive(changing);
        commit();
        RowSet dead(merged.ids.size);
        for (std::size_t row = 0; row < dead.rows(); ++row) {
            const auto place = committed.snapshot->find(merged.ids[row]);
            const bool here = place && is_merged(committed.snapshot->segments[place->segment].segment->number);
            if (!here) dead.add(row);
        }
        Manifest next = committed.manifest;
        ++next.commit;
        std::erase_if(next.segments, [&](const Manifest::Entry& old) { return is_merged(old.number); });
        if (dead.count() > 0 && dead.count() < dead.rows()) {
            files.push_back(dead_path(folder, number, next.commit));
            write_dead(folder, dead, next.commit, entry);
        }
        if (dead.count() < dead.rows()) next.segments.push_back(entry);
        std::sort(next.segments.begin(), next.segments.end(),
                  [](const Manifest::Entry& a, const Manifest::Entry& b) { return a.number < b.number; });
        publish(std::move(next), files);
    });
}

std::vector<std::vector<std::uint64_t>> groups_to_merge(const Committed& committed, Compaction what) {
    constexpr std::size_t kFew = 4;   // segments of a tier that are left alone
    constexpr std::size_t kTier = 4;  // sizes of a tier differ by less than this factor
    const auto& segments = committed.snapshot->segments;
    std::vector<std::vector<std::uint64_t>> groups;
    if (what == Compaction::all) {
        std::size_t rows = 0;
        for (const LiveSegment& live : segments) {
            if (groups.empty() || rows + live.size() >= kMostRows) groups.emplace_back(), rows = 0;
            groups.back().push_back(live.segment->number);
            rows += live.size();
        }
        const bool clean =
            std::all_of(segments.begin(), segments.end(), [](const LiveSegment& live) { return !live.dead; });
        if (clean) std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
        return groups;
    }
    std::vector<const LiveSegment*> by_size;
    for (const LiveSegment& live : segments) by_size.push_back(&live);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const auto* a, const auto* b) { return a->size() < b->size(); });
    for (std::size_t first = 0, last = 0; first < by_size.size(); first = last) {
        std::vector<std::uint64_t> tier;
        for (;
             last < by_size.size() && by_size[last]->size() < kTier * std::max<std::size_t>(1, by_size[first]->size());
             ++last)
            tier.push_back(by_size[last]->segment->number);
        if (tier.size() >= kFew) groups.push_back(std::move(tier));
    }
    return groups;
}

void write_model(const std::string& folder, const StoreModel& model, Manifest& manifest,
                 std::vector<std::string>& new_files) {
    const IndexModel& parts = model.model();
    manifest.seed = model.seed();
    manifest.metric = model.metric();
    manifest.identity = model.identity();
    manifest.refine.clear();
    manifest.refine_model = {};
    new_files.push_back(model_path(folder, manifest.generation));
    save(new_files.back(), parts);
    manifest.model = stamp_of(new_files.back());
    if (!parts.second) return;
    if (parts.second->rows) {
        manifest.refine = name(*parts.second->rows);
        return;
    }
    manifest.refine = "codes";
    new_files.push_back(refine_path(folder, manifest.generation));
    save(new_files.back(), *parts.second->quantizer);
    manifest.refine_model = stamp_of(new_files.back());
}

void write_folder(const std::string& folder, const IndexModel& model, Metric metric, std::uint64_t seed) {
    Manifest manifest;
    std::vector<std::string> files;
    write_model(folder, StoreModel(model, metric, seed), manifest, files);
    write_manifest(folder, manifest);
}

}  // namespace summand
