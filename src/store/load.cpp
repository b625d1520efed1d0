// Reading a folder.
#include <algorithm>

#include "base/hash.h"
#include "io/byte_source.h"
#include "io/metadata.h"
#include "store/living_state.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {
namespace {

void check_stamp(const std::string& path, const FileStamp& expected) {
    const FileStamp found = stamp_of(path);
    require(found == expected, path, ": is not the file that the manifest names: expected ", expected.bytes,
            " bytes with checksum ", expected.crc, ", got ", found.bytes, " with ", found.crc);
}

// Of the same number, with the place of its live segment; null: it is new.
const Manifest::Entry* find(const Committed* before, std::uint64_t number, std::size_t& place) {
    if (!before) return nullptr;
    const auto& entries = before->manifest.segments;
    const auto found = std::lower_bound(entries.begin(), entries.end(), number,
                                        [](const Manifest::Entry& entry, std::uint64_t n) { return entry.number < n; });
    if (found == entries.end() || found->number != number) return nullptr;
    place = static_cast<std::size_t>(found - entries.begin());
    return &*found;
}

}  // namespace

std::shared_ptr<const StoreModel> load_model(const std::string& folder, const Manifest& manifest) {
    const std::string path = model_path(folder, manifest.generation);
    check_stamp(path, manifest.model);
    IndexModel model = load_index_model(path);
    if (manifest.refine == "codes") {
        const std::string second = refine_path(folder, manifest.generation);
        check_stamp(second, manifest.refine_model);
        model.second = RefineModel{.quantizer = load_quantizer(second)};
    } else if (!manifest.refine.empty()) {
        model.second = RefineModel{.rows = row_format(manifest.refine)};
    }
    return about(path, [&] {
        auto result = std::make_shared<const StoreModel>(std::move(model), manifest.metric, manifest.seed);
        require(result->identity() == manifest.identity, path, ": is model ", hex(result->identity()),
                ", the manifest names ", hex(manifest.identity));
        return result;
    });
}

namespace {

std::shared_ptr<const Segment> checked(Segment segment, const std::string& path, const Manifest& manifest,
                                       const Manifest::Entry& entry) {
    require(segment.ids.size == entry.vectors, path, ": expected ", entry.vectors, " vectors, got ", segment.ids.size);
    require(segment.names.empty() != manifest.named, path, ": expected ", manifest.named ? "names" : "no names",
            " of its vectors, as the manifest says");
    return std::make_shared<const Segment>(std::move(segment));
}

}  // namespace

std::shared_ptr<const Segment> load_segment(const std::string& folder, const StoreModel& model,
                                            const Manifest& manifest, const Manifest::Entry& entry, Checking checking) {
    const std::string path = segment_path(folder, entry.number);
    return checked(read_segment(path, model, entry.number, entry.stamp, checking), path, manifest, entry);
}

std::shared_ptr<const Segment> load_segment(std::span<const std::byte> bytes, const std::string& path,
                                            const StoreModel& model, const Manifest& manifest,
                                            const Manifest::Entry& entry) {
    return checked(read_segment(bytes, path, model, entry.number, entry.stamp), path, manifest, entry);
}

Bytes read_file(const std::string& path) {
    const InputFile file(path);
    Bytes bytes(file.size());
    file.read_at(0, bytes);
    return bytes;
}

std::shared_ptr<const RowSet> load_dead(const std::string& folder, const Manifest::Entry& entry) {
    if (entry.dead == 0) return nullptr;
    const std::string path = dead_path(folder, entry.number, entry.dead_commit);
    return load_dead(read_file(path), path, entry);
}

std::shared_ptr<const RowSet> load_dead(std::span<const std::byte> bytes, const std::string& path,
                                        const Manifest::Entry& entry) {
    require(bytes.size() == entry.dead_stamp.bytes, path, ": expected ", entry.dead_stamp.bytes, " bytes, got ",
            bytes.size());
    require(crc32_of(bytes.data(), bytes.size()) == entry.dead_stamp.crc, path,
            ": is damaged: its checksum does not match");
    auto dead = std::make_shared<const RowSet>(from_roaring(bytes, entry.vectors, path));
    require(dead->count() == entry.dead, path, ": expected ", entry.dead, " rows, got ", dead->count());
    return dead;
}

Committed load(const std::string& folder, Manifest manifest, const Committed* before) {
    if (before && before->manifest.identity != manifest.identity) before = nullptr;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->model = before ? before->snapshot->model : load_model(folder, manifest);
    for (const Manifest::Entry& entry : manifest.segments) {
        std::size_t place = 0;
        const Manifest::Entry* known = find(before, entry.number, place);
        if (known && *known == entry) {
            snapshot->segments.push_back(before->snapshot->segments[place]);
            continue;
        }
        auto segment = known && known->stamp == entry.stamp ? before->snapshot->segments[place].segment
                                                            : load_segment(folder, *snapshot->model, manifest, entry);
        snapshot->segments.push_back(live_segment(std::move(segment), load_dead(folder, entry)));
    }
    return {std::move(manifest), std::move(snapshot)};
}

Committed load_current(const std::string& folder, const Committed* before) {
    for (Manifest manifest = read_manifest(folder);;) {
        try {
            return load(folder, manifest, before);
        } catch (const Error&) {
            Manifest now = read_manifest(folder);
            if (now == manifest) throw;
            manifest = std::move(now);
        }
    }
}

}  // namespace summand
