// What a folder holds, in one small file that is replaced atomically: a commit is a manifest. Names of files:
//
//     manifest.smd                            this one
//     lock                                    held by the writer
//     model-00000001.smd                      the model; refine-00000001.smd where a second layer has codes
//     segment-00000003.smd                    segment 3
//     segment-00000003.dead-00000007          its rows that were dead from commit 7 on
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/segment.h"

namespace summand {

struct Manifest {
    struct Entry {
        std::uint64_t number = 0;
        std::uint64_t vectors = 0;
        FileStamp stamp = {};
        std::uint64_t dead = 0;         ///< rows; 0: it has no file of them
        std::uint64_t dead_commit = 0;  ///< of that file's name
        FileStamp dead_stamp = {};      ///< with the checksum of all its bytes

        friend bool operator==(const Entry&, const Entry&) = default;
    };

    std::uint64_t commit = 0;
    std::uint64_t next_segment = 1;
    std::int64_t next_id = 0;
    bool named = false;            ///< whether ids are texts
    std::uint64_t generation = 1;  ///< of the model's name
    std::uint64_t seed = 1;
    Metric metric = Metric::euclidean;
    std::string refine = {};  ///< "", "codes", or a row format
    std::uint64_t identity = 0;
    FileStamp model = {}, refine_model = {};
    std::vector<Entry> segments = {};  ///< by number

    friend bool operator==(const Manifest&, const Manifest&) = default;
};

std::string manifest_path(const std::string& folder);
std::string lock_path(const std::string& folder);
std::string model_path(const std::string& folder, std::uint64_t generation);
std::string refine_path(const std::string& folder, std::uint64_t generation);
std::string segment_path(const std::string& folder, std::uint64_t number);
std::string dead_path(const std::string& folder, std::uint64_t number, std::uint64_t commit);

/// Throws `Error` where it is missing, damaged or contradicts itself.
Manifest read_manifest(const std::string& folder);

/// Atomic: after a crash there is the old one or this one.
void write_manifest(const std::string& folder, const Manifest& manifest);

/// Removes the files with names of ours that the manifest does not name. A failure is no error.
void remove_unnamed(const std::string& folder, const Manifest& manifest);

/// The first file in the folder whose name is none of ours; empty: there is none.
std::string foreign_file(const std::string& folder);

}  // namespace summand
