// Indexes of one model, put together and taken apart.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "store/living_state.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::int64_t kLargestId = std::numeric_limits<std::int64_t>::max() - 1;

void copy_file(const std::string& from, const std::string& to) {
    constexpr std::uint64_t kPiece = 1 << 20;
    const InputFile source(from);
    AtomicFile target(to);
    Bytes piece;
    for (std::uint64_t done = 0; done < source.size(); done += piece.size()) {
        piece.resize(std::min(kPiece, source.size() - done));
        source.read_at(done, piece);
        target.append(piece);
    }
    target.commit(NameLasts::after_sync);
}

void require_other_ids(const Snapshot& ours, const Snapshot& theirs, const std::string& folder) {
    for (const LiveSegment& live : theirs.segments)
        for (std::size_t row = 0; row < live.segment->ids.size; ++row)
            require((live.dead && live.dead->has(row)) || !ours.find(live.segment->ids[row]), folder, ": the id ",
                    live.segment->ids[row], " is in both indexes");
}

void require_other_names(const Snapshot& ours, const Snapshot& theirs, const std::string& folder) {
    for (const LiveSegment& live : theirs.segments)
        for (std::size_t row = 0; row < live.segment->ids.size; ++row)
            require((live.dead && live.dead->has(row)) || !find_name(ours, live.segment->names[row]), folder,
                    ": the id '", live.segment->names[row], "' is in both indexes");
}

// Live rows with numbers that begin behind those of another index: numbers of names mean something in one index only.
SegmentRows renumbered(const StoreModel& model, const LiveSegment& live, std::int64_t first) {
    SegmentRows rows = live_rows(model, live);
    Reservoir sample(model.dimensions());
    for (std::size_t i = 0; i < rows.sample.size(); ++i) sample.add(first + rows.sample.ids()[i], rows.sample.row(i));
    rows.sample = std::move(sample);
    for (std::int64_t& id : rows.ids) id += first;
    return rows;
}

}  // namespace

void LivingIndex::merge(const std::string& folder) {
    state_->require_writer("merge");
    std::error_code unknown;
    require(!std::filesystem::equivalent(folder, state_->folder, unknown), folder, ": cannot be merged into itself");
    const std::lock_guard exclusive(state_->changing);
    state_->commit();
    const Committed theirs = load_current(folder);
    const Committed& ours = state_->committed;
    require(theirs.manifest.identity == ours.manifest.identity, folder, ": is of another model than ", state_->folder);
    const bool named = theirs.manifest.named;
    require(named == ours.manifest.named || theirs.manifest.next_id == 0 || ours.manifest.next_id == 0, folder,
            ": its ids are ", named ? "texts" : "numbers", ", those of ", state_->folder, " are not");
    if (named)
        require_other_names(*ours.snapshot, *theirs.snapshot, folder);
    else
        require_other_ids(*ours.snapshot, *theirs.snapshot, folder);
    require(!named || theirs.manifest.next_id < kLargestId - ours.manifest.next_id, folder, ": takes ",
            theirs.manifest.next_id, " numbers, ", state_->folder, " has fewer left");
    with_new_files([&](std::vector<std::string>& files) {
        Manifest next = ours.manifest;
        ++next.commit;
        next.named = next.named || named;
        next.next_id = named ? next.next_id + theirs.manifest.next_id : std::max(next.next_id, theirs.manifest.next_id);
        for (std::size_t i = 0; i < theirs.manifest.segments.size(); ++i) {
            if (named) {
                const StoreModel& model = *ours.snapshot->model;
                const SegmentRows rows = renumbered(model, theirs.snapshot->segments[i], ours.manifest.next_id);
                next.segments.push_back(
                    write_new_segment(state_->folder, model, segment_of(model, rows), state_->next_segment++, files));
                continue;
            }
            Manifest::Entry entry = theirs.manifest.segments[i];
            const std::string from = segment_path(folder, entry.number);
            StoreModel::packed_of(theirs.snapshot->segments[i].segment->index).require_sound();
            entry.number = state_->next_segment++;
            files.push_back(segment_path(state_->folder, entry.number));
            copy_file(from, files.back());
            if (entry.dead > 0) {
                files.push_back(dead_path(state_->folder, entry.number, next.commit));
                write_dead(state_->folder, *theirs.snapshot->segments[i].dead, next.commit, entry);
            }
            next.segments.push_back(entry);
        }
        state_->publish(std::move(next), files);
    });
}

void LivingIndex::split(std::span<const std::string> folders) const {
    require(folders.size() >= 2, "split: expected at least two folders, got ", folders.size());
    const std::shared_ptr<const Snapshot> snapshot = state_->visible();
    const StoreModel& model = *snapshot->model;
    for (std::size_t shard = 0; shard < folders.size(); ++shard) {
        LivingIndex part = create(folders[shard], model.model(), model.metric(), model.seed());
        SegmentRows rows;
        for (const LiveSegment& live : snapshot->segments) {
            const SegmentRows all = live_rows(model, live);
            std::vector<std::size_t> own;
            for (std::size_t row = 0; row < all.size(); ++row)
                if (static_cast<std::size_t>(all.ids[row]) % folders.size() == shard) own.push_back(row);
            append(all, own, rows);
        }
        const std::lock_guard exclusive(part.state_->changing);
        part.state_->change(rows.size(), [&](Pending& pending) { pending.add(rows); });
        part.state_->commit();
    }
}

void LivingIndex::for_each_rows(
    const std::function<void(std::span<const std::int64_t> ids, CellCodes rows)>& take) const {
    require(!info().named, "rows: the ids of ", state_->folder, " are texts, expected numbers");
    const std::shared_ptr<const Snapshot> snapshot = state_->visible();
    for (const LiveSegment& live : snapshot->segments) {
        SegmentRows rows = live_rows(*snapshot->model, live);
        const std::vector<std::int64_t> ids = std::move(rows.ids);
        take(ids, snapshot->model->first_of(std::move(rows)));
    }
}

}  // namespace summand
