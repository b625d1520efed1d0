// The ids that users gave to the rows of an index or a segment: a section `user_ids`, or where they follow each other
// the first of them in a metadata object.
#pragma once

#include <limits>

#include "io/index_sections.h"
#include "io/metadata.h"
#include "summand/search.h"

namespace summand {

inline constexpr std::int64_t kLargestId = std::numeric_limits<std::int64_t>::max() - 1;  // so that one is behind it

void add_user_ids(ContainerWriter& writer, const char* object, const RowIds& ids);

/// Of `size` rows. Throws `Error` for ids that do not ascend.
RowIds read_user_ids(const IndexFile& file, const Fields& fields, std::size_t size);

}  // namespace summand
