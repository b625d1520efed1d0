#include "io/user_ids.h"

#include <algorithm>
#include <functional>

#include "io/in_place.h"

namespace summand {

void add_user_ids(ContainerWriter& writer, const char* object, const RowIds& ids) {
    if (ids.values.empty())
        writer.metadata[object]["first_id"] = ids.first;
    else
        writer.add("user_ids", Element::uint64, {ids.size}, ids.values);
}

RowIds read_user_ids(const IndexFile& file, const Fields& fields, std::size_t size) {
    if (!file.reader.has("user_ids")) {
        const auto most = static_cast<std::uint64_t>(kLargestId) - size + 1;
        return {static_cast<std::int64_t>(fields.count("first_id", 0, most)), size, {}};
    }
    const auto ids = in_place<std::int64_t>(file.reader, file.bytes, "user_ids", Element::uint64, {size});
    const bool ascending = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal()) == ids.end();
    file.reader.check(!ids.empty() && ascending && ids.front() >= 0 && ids.back() <= kLargestId,
                      "section user_ids is not in order, or holds one beyond 2^63 - 2");
    return {ids.front(), size, ids};
}

}  // namespace summand
