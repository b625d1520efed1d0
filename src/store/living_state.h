// What a `LivingIndex` is made of: the folder as it was last read or written, and changes that are not committed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/file_lock.h"
#include "store/manifest.h"
#include "store/pending.h"
#include "summand/living_index.h"

namespace summand {

/// A manifest and the snapshot that it names.
struct Committed {
    Manifest manifest;
    std::shared_ptr<const Snapshot> snapshot;
};

/// Reads what the manifest names; segments that `before` has are taken from there. Throws `Error` for what is missing,
/// damaged or contradicts the manifest.
Committed load(const std::string& folder, Manifest manifest, const Committed* before = nullptr);

/// The same for the manifest that is there. A writer may replace it meanwhile: then the new one is read.
Committed load_current(const std::string& folder, const Committed* before = nullptr);

struct LivingIndex::State {
    /// Takes the lock for writing, and removes what a crash left behind.
    State(std::string where, Access how);

    /// The same for a folder that `lock` is held of already.
    State(std::string where, std::unique_ptr<FileLock> held);

    /// What is searched: what is committed, with the changes that are not.
    std::shared_ptr<const Snapshot> visible();

    void require_writer(const char* what) const;

    /// Applies changes to what is pending, and commits where there are enough.
    template <class Change>
    void change(std::size_t count, const Change& work) {
        {
            const std::lock_guard own(guard);
            shown.reset();
            work(pending);
            changes += count;
        }
        if (commit_every > 0 && changes >= commit_every) commit();
    }

    /// Which of the ids that are added must be in the index already.
    enum class Ids : std::uint8_t { none, any, all };

    void put(const char* what, const VectorSource& vectors, std::span<const std::int64_t> ids, Ids there,
             const Execution& execution);
    void put_named(const char* what, const VectorSource& vectors, std::span<const std::string> names, Ids there,
                   const Execution& execution);

    /// Encodes vectors and puts them in the place of those with the same ids; `changing` is held.
    void store(const VectorSource& vectors, std::vector<std::int64_t> ids, std::vector<std::string> names,
               const Execution& execution);

    bool named() const;  ///< whether ids are texts; false where there never was a vector
    void require_numbers(const char* what) const;

    /// Of those names that are there.
    std::vector<std::int64_t> live_ids_of(std::span<const std::string> names) const;

    /// Writes what is pending; `changing` is held.
    void commit();

    /// Merges the segments with these numbers into one.
    void merge(const std::vector<std::uint64_t>& numbers);

    const std::string folder;
    const Access access;
    std::unique_ptr<FileLock> lock;
    std::mutex compacting;     // held first of the three
    std::mutex changing;       // held while the index is changed, by whoever writes or refreshes
    mutable std::mutex guard;  // held for moments, around what follows
    Committed committed;
    Pending pending;
    std::shared_ptr<const Snapshot> shown = {};  // null: to be made
    std::size_t changes = 0, commit_every = 1;
    std::atomic<std::uint64_t> next_segment = 1;  // also above the numbers of files that are being written

    /// Encodes the vectors with a new model, and commits it with them; `changing` is held.
    void retrain(const VectorSource& vectors, std::vector<std::int64_t> ids, std::string_view spec,
                 const BuildSettings& settings);

    /// Syncs the names of the new files, replaces the manifest, and removes the files that it names no more. Takes over
    /// the new files.
    void publish(Manifest manifest, std::vector<std::string>& new_files);

private:
    void recover(const std::vector<std::string>& new_files);
    void adopt(Committed next);
};

/// The parts of it. Each throws `Error` that names its file.
std::shared_ptr<const StoreModel> load_model(const std::string& folder, const Manifest& manifest);
std::shared_ptr<const Segment> load_segment(const std::string& folder, const StoreModel& model,
                                            const Manifest& manifest, const Manifest::Entry& entry,
                                            Checking checking = Checking::on_first_use);
std::shared_ptr<const Segment> load_segment(std::span<const std::byte> bytes, const std::string& path,
                                            const StoreModel& model, const Manifest& manifest,
                                            const Manifest::Entry& entry);
std::shared_ptr<const RowSet> load_dead(const std::string& folder, const Manifest::Entry& entry);  ///< null: none
std::shared_ptr<const RowSet> load_dead(std::span<const std::byte> bytes, const std::string& path,
                                        const Manifest::Entry& entry);

Bytes read_file(const std::string& path);

/// Runs of segments that are worth merging, as numbers.
std::vector<std::vector<std::uint64_t>> groups_to_merge(const Committed& committed, Compaction what);

/// Writes the dead rows of a segment, and enters their file, whose name lasts once the folder is synced.
void write_dead(const std::string& folder, const RowSet& dead, std::uint64_t commit, Manifest::Entry& entry);

/// Writes a segment under a number, and returns its entry. Adds the file to those that are new. Its name lasts once
/// the folder is synced.
Manifest::Entry write_new_segment(const std::string& folder, const StoreModel& model, Segment segment,
                                  std::uint64_t number, std::vector<std::string>& new_files);

/// Writes the model as that of the manifest's generation, and enters it.
void write_model(const std::string& folder, const StoreModel& model, Manifest& manifest,
                 std::vector<std::string>& new_files);

void remove_files(const std::vector<std::string>& files);

/// Runs `work` on a list of the files that it writes, and removes them where it throws.
template <class Work>
void with_new_files(const Work& work) {
    std::vector<std::string> files;
    try {
        work(files);
    } catch (...) {
        remove_files(files);
        throw;
    }
}

/// Rows of a segment that are alive, with their ids and sample.
SegmentRows live_rows(const StoreModel& model, const LiveSegment& live);

/// Learns a model that segments can share.
IndexModel learnt_model(const VectorSource& learn, std::string_view spec, const BuildSettings& settings);

SegmentRows encoded(const StoreModel& model, const VectorSource& vectors, std::vector<std::int64_t> ids,
                    const Execution& execution);

/// Writes a new folder, with its lock held, and its first manifest.
void write_folder(const std::string& folder, const IndexModel& model, Metric metric, std::uint64_t seed);

}  // namespace summand
