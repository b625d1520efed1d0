#include "io/roaring.h"

#include <bit>
#include <vector>

#include "base/byte_order.h"
#include "summand/error.h"

namespace summand::roaring {
namespace {

constexpr std::size_t kWordsInContainer = kInContainer / 64;

struct Container {
    std::size_t key, values;
    bool runs = false;
};

class Reader {
public:
    Reader(std::span<const std::byte> bytes, const std::string& what, const TakeRun& take)
        : bytes_(bytes), what_(what), take_(take) {}

    std::size_t read() {
        const std::vector<Container> containers = read_head();
        for (std::size_t i = 0; i < containers.size(); ++i) {
            check(offsets_.empty() || offsets_[i] == at_, "container ", i, " lies at another place than its offset");
            read_container(containers[i]);
        }
        return at_;
    }

private:
    template <class... Parts>
    void check(bool ok, const Parts&... parts) const {
        require(ok, what_, ": ", parts...);
    }

    template <class T>
    T next() {
        check(sizeof(T) <= bytes_.size() - at_, "it ends at byte ", bytes_.size());
        at_ += sizeof(T);
        return load_little<T>(&bytes_[at_ - sizeof(T)]);
    }

    std::vector<Container> read_head() {
        const auto cookie = next<std::uint32_t>();
        const bool with_runs = (cookie & 0xffff) == kWithRuns;
        check(with_runs || cookie == kWithoutRuns, "it begins with ", cookie);
        const std::size_t count = with_runs ? (cookie >> 16) + 1 : next<std::uint32_t>();
        check(count <= kInContainer, "it has ", count, " containers");
        std::vector<std::uint8_t> runs(with_runs ? (count + 7) / 8 : 0);
        for (std::uint8_t& flags : runs) flags = next<std::uint8_t>();
        std::vector<Container> containers;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t key = next<std::uint16_t>();
            check(containers.empty() || containers.back().key < key, "its containers are out of order");
            containers.push_back(
                {key, std::size_t{next<std::uint16_t>()} + 1, with_runs && (runs[i / 8] >> i % 8 & 1) != 0});
        }
        if (!with_runs || count >= kFewestWithOffsets)
            for (std::size_t i = 0; i < count; ++i) offsets_.push_back(next<std::uint32_t>());
        return containers;
    }

    std::size_t take(const Container& container, std::size_t first, std::size_t last) const {
        const std::size_t base = container.key * kInContainer;
        take_(base + first, base + last);
        return last - first + 1;
    }

    void read_container(const Container& container) {
        const std::size_t values = container.runs                      ? read_runs(container)
                                   : container.values <= kLargestArray ? read_array(container)
                                                                       : read_bitmap(container);
        check(values == container.values, "a container holds ", values, " values and says that it holds ",
              container.values);
    }

    std::size_t read_array(const Container& container) {
        std::size_t least = 0;
        for (std::size_t i = 0; i < container.values; ++i) {
            const std::size_t value = next<std::uint16_t>();
            check(value >= least, "its values are out of order");
            least = value + 1;
            take(container, value, value);
        }
        return container.values;
    }

    std::size_t read_bitmap(const Container& container) {
        std::size_t values = 0;
        for (std::size_t w = 0; w < kWordsInContainer; ++w)
            for (auto left = next<std::uint64_t>(); left != 0;) {
                const auto first = static_cast<std::size_t>(std::countr_zero(left));
                const auto length = static_cast<std::size_t>(std::countr_one(left >> first));
                values += take(container, w * 64 + first, w * 64 + first + length - 1);
                if (first + length == 64) break;
                left &= ~std::uint64_t{0} << (first + length);
            }
        return values;
    }

    std::size_t read_runs(const Container& container) {
        std::size_t least = 0, values = 0;
        const std::size_t count = next<std::uint16_t>();
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t first = next<std::uint16_t>(), last = first + next<std::uint16_t>();
            check(first >= least && last < kInContainer, "its runs are out of order");
            least = last + 1;
            values += take(container, first, last);
        }
        return values;
    }

    std::span<const std::byte> bytes_;
    const std::string& what_;
    const TakeRun& take_;
    std::size_t at_ = 0;
    std::vector<std::uint32_t> offsets_;
};

}  // namespace

std::size_t read(std::span<const std::byte> bytes, const std::string& what, const TakeRun& take) {
    return Reader(bytes, what, take).read();
}

}  // namespace summand::roaring
