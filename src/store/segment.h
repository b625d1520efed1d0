// A segment: an index of rows from 0 on, in the order of their ids, and those ids. Its file does not change once it is
// written; the model lies in a file of its own, so that small segments are small.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/index_sections.h"
#include "store/row_names.h"
#include "store/store_model.h"
#include "summand/search.h"

namespace summand {

/// What tells a file from any other: its length, and the checksum of its head, which holds those of its sections.
struct FileStamp {
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Of a container.
FileStamp stamp_of(const std::string& path);

struct Segment {
    std::uint64_t number = 0;  ///< 0: in memory
    Index index;
    RowIds ids = {};
    RowNames names = {};                     ///< empty where ids are numbers
    std::shared_ptr<const void> owner = {};  ///< of the ids and names
    FileStamp stamp = {};
    std::span<const std::uint64_t> sample_rows = {};  ///< of vectors that are kept as they came, ascending
    std::span<const std::uint16_t> sample = {};       ///< their values, D halves each
};

/// A segment in memory of rows in any order.
Segment segment_of(const StoreModel& model, const SegmentRows& rows);

/// The name of the file lasts once its folder is synced.
void write_segment(const std::string& path, const StoreModel& model, const Segment& segment);

/// The file is mapped and used in place. Throws `Error` where it is damaged, of another model, or not the one of the
/// stamp.
Segment read_segment(const std::string& path, const StoreModel& model, std::uint64_t number, const FileStamp& stamp,
                     Checking checking);

/// The same of bytes, which are copied and checked at once; `path` begins messages.
Segment read_segment(std::span<const std::byte> bytes, const std::string& path, const StoreModel& model,
                     std::uint64_t number, const FileStamp& stamp);

}  // namespace summand
