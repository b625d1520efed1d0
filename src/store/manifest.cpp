#include "store/manifest.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "io/container_writer.h"
#include "io/file_calls.h"
#include "io/metadata.h"
#include "store/row_set.h"
#include "summand/error.h"

namespace summand {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumns = 8;  // of the table of segments
constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;

std::string numbered(const char* kind, std::uint64_t number) {
    std::string digits = std::to_string(number);
    digits.insert(0, digits.size() < 8 ? 8 - digits.size() : 0, '0');
    return std::string(kind) + digits;
}

std::string in(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

std::vector<std::uint64_t> table_of(const std::vector<Manifest::Entry>& segments) {
    std::vector<std::uint64_t> table;
    for (const Manifest::Entry& entry : segments)
        table.insert(table.end(), {entry.number, entry.vectors, entry.stamp.bytes, entry.stamp.crc, entry.dead,
                                   entry.dead_commit, entry.dead_stamp.bytes, entry.dead_stamp.crc});
    return table;
}

void check_entry(const ContainerReader& reader, const Manifest& manifest, const std::uint64_t* row) {
    const auto check = [&](bool ok, const char* what, std::uint64_t value) {
        reader.check(ok, "segment ", row[0], " has ", what, " ", value);
    };
    const std::uint64_t least = manifest.segments.empty() ? 1 : manifest.segments.back().number + 1;
    check(row[0] >= least && row[0] < manifest.next_segment, "the number", row[0]);
    check(row[1] > 0 && row[1] < kMostRows, "a number of vectors of", row[1]);
    check(row[2] < kLargest, "a length of", row[2]);
    check(row[3] <= std::numeric_limits<std::uint32_t>::max(), "a checksum of", row[3]);
    check(row[4] < row[1], "a number of dead rows of", row[4]);
    check(row[5] <= manifest.commit && (row[4] > 0) == (row[5] > 0), "a commit of dead rows of", row[5]);
    check(row[6] < kLargest && (row[4] > 0) == (row[6] > 0), "a length of dead rows of", row[6]);
    check(row[7] <= std::numeric_limits<std::uint32_t>::max(), "a checksum of dead rows of", row[7]);
}

void read_segments(const ContainerReader& reader, std::uint64_t count, Manifest& manifest) {
    const auto table = reader.values<std::uint64_t>("segments", Element::uint64, {count, kColumns});
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t* row = table.data() + i * kColumns;
        check_entry(reader, manifest, row);
        manifest.segments.push_back({row[0],
                                     row[1],
                                     {row[2], static_cast<std::uint32_t>(row[3])},
                                     row[4],
                                     row[5],
                                     {row[6], static_cast<std::uint32_t>(row[7])}});
    }
}

FileStamp read_stamp(const Fields& fields, const std::string& what) {
    return {fields.count(what + "_bytes", 0, kLargest),
            static_cast<std::uint32_t>(fields.count(what + "_crc", 0, std::numeric_limits<std::uint32_t>::max()))};
}

std::set<std::string> names_of(const Manifest& manifest) {
    std::set<std::string> names{file_name(manifest_path("")), file_name(lock_path("")),
                                file_name(model_path("", manifest.generation))};
    if (manifest.refine == "codes") names.insert(file_name(refine_path("", manifest.generation)));
    for (const Manifest::Entry& entry : manifest.segments) {
        names.insert(file_name(segment_path("", entry.number)));
        if (entry.dead > 0) names.insert(file_name(dead_path("", entry.number, entry.dead_commit)));
    }
    return names;
}

// Temporary files of killed writers begin with the name of their target.
bool is_ours(const std::string& name) {
    const auto begins = [&](const char* start) { return name.starts_with(start); };
    return begins("segment-") || begins("model-") || begins("refine-") || begins("manifest.smd") || name == "lock";
}

}  // namespace

std::string manifest_path(const std::string& folder) { return in(folder, "manifest.smd"); }
std::string lock_path(const std::string& folder) { return in(folder, "lock"); }
std::string model_path(const std::string& folder, std::uint64_t generation) {
    return in(folder, numbered("model-", generation) + ".smd");
}
std::string refine_path(const std::string& folder, std::uint64_t generation) {
    return in(folder, numbered("refine-", generation) + ".smd");
}
std::string segment_path(const std::string& folder, std::uint64_t number) {
    return in(folder, numbered("segment-", number) + ".smd");
}
std::string dead_path(const std::string& folder, std::uint64_t number, std::uint64_t commit) {
    return in(folder, numbered("segment-", number) + numbered(".dead-", commit));
}

Manifest read_manifest(const std::string& folder) {
    const InputFile file(manifest_path(folder));
    const ContainerReader reader(file, file.path());
    reader.expect(Kind::manifest, {"segments"});
    const nlohmann::json metadata = reader.metadata();
    const Fields fields(reader, metadata, "store");
    Manifest manifest;
    manifest.commit = fields.count("commit", 0, kLargest);
    manifest.next_segment = fields.count("next_segment", 1, kLargest);
    manifest.next_id = static_cast<std::int64_t>(fields.count("next_id", 0, std::numeric_limits<std::int64_t>::max()));
    manifest.named = fields.has("named") && fields.flag("named");
    manifest.generation = fields.count("generation", 1, kLargest);
    manifest.seed = fields.count("seed");
    manifest.metric = read_metric(fields);
    manifest.refine = fields.text("refine");
    reader.check(manifest.refine.empty() || manifest.refine == "codes" || row_format(manifest.refine).has_value(),
                 "metadata store.refine is '", manifest.refine, "', expected codes or a format of rows");
    manifest.identity = fields.hash("model");
    manifest.model = read_stamp(fields, "model");
    manifest.refine_model = read_stamp(fields, "refine");
    read_segments(reader, fields.count("segments"), manifest);
    return manifest;
}

void write_manifest(const std::string& folder, const Manifest& manifest) {
    ContainerWriter writer(Kind::manifest);
    writer.add("segments", Element::uint64, {manifest.segments.size(), kColumns}, table_of(manifest.segments));
    writer.metadata["store"] = {{"commit", manifest.commit},
                                {"next_segment", manifest.next_segment},
                                {"next_id", manifest.next_id},
                                {"generation", manifest.generation},
                                {"seed", manifest.seed},
                                {"metric", name(manifest.metric)},
                                {"refine", manifest.refine},
                                {"model", hex(manifest.identity)},
                                {"model_bytes", manifest.model.bytes},
                                {"model_crc", manifest.model.crc},
                                {"refine_bytes", manifest.refine_model.bytes},
                                {"refine_crc", manifest.refine_model.crc},
                                {"segments", manifest.segments.size()}};
    if (manifest.named) writer.metadata["store"]["named"] = true;
    writer.finish(manifest_path(folder));
}

void remove_unnamed(const std::string& folder, const Manifest& manifest) {
    const std::set<std::string> named = names_of(manifest);
    std::vector<std::string> unnamed;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (const std::string name = entry->path().filename().string(); is_ours(name) && !named.contains(name))
            unnamed.push_back(entry->path().string());
    for (const std::string& path : unnamed) file_calls::unlink(path.c_str());
}

std::string foreign_file(const std::string& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (const std::string name = entry->path().filename().string(); !is_ours(name)) return name;
    return {};
}

}  // namespace summand
