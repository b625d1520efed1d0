// Dead rows are written without runs; io/roaring.h draws the format.
#include "store/row_set.h"

#include <algorithm>
#include <bit>

#include "base/byte_order.h"
#include "io/roaring.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kWordsInContainer = roaring::kInContainer / 64;

struct Container {
    std::size_t key, rows;
};

class Writer {
public:
    template <class T>
    void put(T value) {
        bytes_.resize(bytes_.size() + sizeof value);
        store_little(&bytes_[bytes_.size() - sizeof value], value);
    }
    Bytes take() { return std::move(bytes_); }

private:
    Bytes bytes_;
};

std::span<const std::uint64_t> words_of(const RowSet& set, std::size_t key) {
    const std::size_t first = key * kWordsInContainer;
    return set.words().subspan(first, std::min(kWordsInContainer, set.words().size() - first));
}

std::vector<Container> containers_of(const RowSet& set) {
    std::vector<Container> containers;
    for (std::size_t key = 0; key * kWordsInContainer < set.words().size(); ++key) {
        std::size_t rows = 0;
        for (const std::uint64_t word : words_of(set, key)) rows += static_cast<std::size_t>(std::popcount(word));
        if (rows > 0) containers.push_back({key, rows});
    }
    return containers;
}

std::size_t bytes_of(const Container& container) {
    return container.rows <= roaring::kLargestArray ? container.rows * sizeof(std::uint16_t)
                                                    : roaring::kInContainer / 8;
}

void write_container(const RowSet& set, const Container& container, Writer& out) {
    const auto words = words_of(set, container.key);
    if (container.rows > roaring::kLargestArray) {
        for (std::size_t w = 0; w < kWordsInContainer; ++w) out.put(w < words.size() ? words[w] : std::uint64_t{0});
        return;
    }
    for (std::size_t w = 0; w < words.size(); ++w)
        for (std::uint64_t left = words[w]; left != 0; left &= left - 1)
            out.put(static_cast<std::uint16_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

}  // namespace

Bytes to_roaring(const RowSet& set) {
    const std::vector<Container> containers = containers_of(set);
    Writer out;
    out.put(roaring::kWithoutRuns);
    out.put(static_cast<std::uint32_t>(containers.size()));
    for (const Container& container : containers) {
        out.put(static_cast<std::uint16_t>(container.key));
        out.put(static_cast<std::uint16_t>(container.rows - 1));
    }
    std::size_t offset =
        2 * sizeof(std::uint32_t) + containers.size() * (2 * sizeof(std::uint16_t) + sizeof(std::uint32_t));
    for (const Container& container : containers) {
        out.put(static_cast<std::uint32_t>(offset));
        offset += bytes_of(container);
    }
    for (const Container& container : containers) write_container(set, container, out);
    return out.take();
}

RowSet from_roaring(std::span<const std::byte> bytes, std::size_t rows, const std::string& name) {
    const std::string what = name + ": is no bitmap of rows";
    RowSet set(rows);
    const std::size_t read = roaring::read(bytes, what, [&](std::uint64_t first, std::uint64_t last) {
        require(last < rows, what, ": it names row ", std::max<std::uint64_t>(first, rows), " of ", rows);
        for (std::uint64_t row = first; row <= last; ++row) set.add(row);
    });
    require(read == bytes.size(), what, ": ", bytes.size() - read, " bytes follow the last container");
    return set;
}

}  // namespace summand
