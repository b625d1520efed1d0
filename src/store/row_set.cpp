// Rows come in containers of 65,536 by their high 16 bits, each held as a sorted array, as a bitmap or as runs:
//
//     | cookie, containers | which are runs | (key, rows - 1) each | offset each | container | container | …
#include "store/row_set.h"

#include <bit>

#include "base/byte_order.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::uint32_t kWithoutRuns = 12346, kWithRuns = 12347;
constexpr std::size_t kRowsInContainer = 1 << 16, kWordsInContainer = kRowsInContainer / 64;
constexpr std::size_t kLargestArray = 4096;    // rows; more are a bitmap
constexpr std::size_t kFewestWithOffsets = 4;  // containers, in files with runs

struct Container {
    std::size_t key, rows;
    bool runs = false;
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
    return container.rows <= kLargestArray ? container.rows * sizeof(std::uint16_t) : kRowsInContainer / 8;
}

void write_container(const RowSet& set, const Container& container, Writer& out) {
    const auto words = words_of(set, container.key);
    if (container.rows > kLargestArray) {
        for (std::size_t w = 0; w < kWordsInContainer; ++w) out.put(w < words.size() ? words[w] : std::uint64_t{0});
        return;
    }
    for (std::size_t w = 0; w < words.size(); ++w)
        for (std::uint64_t left = words[w]; left != 0; left &= left - 1)
            out.put(static_cast<std::uint16_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

class Reader {
public:
    Reader(std::span<const std::byte> bytes, std::size_t rows, const std::string& name)
        : bytes_(bytes), name_(name), set_(rows) {}

    RowSet read() {
        const std::vector<Container> containers = read_head();
        for (std::size_t i = 0; i < containers.size(); ++i) {
            check(offsets_.empty() || offsets_[i] == at_, "container ", i, " lies at another place than its offset");
            read_container(containers[i]);
        }
        check(at_ == bytes_.size(), bytes_.size() - at_, " bytes follow the last container");
        return std::move(set_);
    }

private:
    template <class... Parts>
    void check(bool ok, const Parts&... parts) const {
        require(ok, name_, ": is no bitmap of rows: ", parts...);
    }

    template <class T>
    T take() {
        check(sizeof(T) <= bytes_.size() - at_, "it ends at byte ", bytes_.size());
        at_ += sizeof(T);
        return load_little<T>(&bytes_[at_ - sizeof(T)]);
    }

    std::vector<Container> read_head() {
        const auto cookie = take<std::uint32_t>();
        const bool with_runs = (cookie & 0xffff) == kWithRuns;
        check(with_runs || cookie == kWithoutRuns, "it begins with ", cookie);
        const std::size_t count = with_runs ? (cookie >> 16) + 1 : take<std::uint32_t>();
        check(count <= kRowsInContainer, "it has ", count, " containers");
        std::vector<std::uint8_t> runs(with_runs ? (count + 7) / 8 : 0);
        for (std::uint8_t& flags : runs) flags = take<std::uint8_t>();
        std::vector<Container> containers;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t key = take<std::uint16_t>();
            check(containers.empty() || containers.back().key < key, "its containers are out of order");
            containers.push_back(
                {key, std::size_t{take<std::uint16_t>()} + 1, with_runs && (runs[i / 8] >> i % 8 & 1) != 0});
        }
        if (!with_runs || count >= kFewestWithOffsets)
            for (std::size_t i = 0; i < count; ++i) offsets_.push_back(take<std::uint32_t>());
        return containers;
    }

    void add(const Container& container, std::size_t row) {
        row += container.key * kRowsInContainer;
        check(row < set_.rows(), "it names row ", row, " of ", set_.rows());
        check(set_.add(row), "it names row ", row, " twice");
    }

    void read_container(const Container& container) {
        const std::size_t before = set_.count();
        if (container.runs)
            read_runs(container);
        else if (container.rows <= kLargestArray)
            read_array(container);
        else
            read_bitmap(container);
        check(set_.count() - before == container.rows, "a container holds ", set_.count() - before,
              " rows and says that it holds ", container.rows);
    }

    void read_array(const Container& container) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < container.rows; ++i) {
            const std::size_t row = take<std::uint16_t>();
            check(row >= next, "its rows are out of order");
            next = row + 1;
            add(container, row);
        }
    }

    void read_bitmap(const Container& container) {
        for (std::size_t w = 0; w < kWordsInContainer; ++w)
            for (auto left = take<std::uint64_t>(); left != 0; left &= left - 1)
                add(container, w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }

    void read_runs(const Container& container) {
        std::size_t next = 0;
        const std::size_t count = take<std::uint16_t>();
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t first = take<std::uint16_t>(), last = first + take<std::uint16_t>();
            check(first >= next && last < kRowsInContainer, "its runs are out of order");
            next = last + 1;
            for (std::size_t row = first; row <= last; ++row) add(container, row);
        }
    }

    std::span<const std::byte> bytes_;
    const std::string& name_;
    RowSet set_;
    std::size_t at_ = 0;
    std::vector<std::uint32_t> offsets_;
};

}  // namespace

Bytes to_roaring(const RowSet& set) {
    const std::vector<Container> containers = containers_of(set);
    Writer out;
    out.put(kWithoutRuns);
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
    return Reader(bytes, rows, name).read();
}

}  // namespace summand
