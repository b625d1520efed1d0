#include <vector>

#include "base/byte_order.h"
#include "io/roaring.h"
#include "summand/error.h"
#include "summand/roaring.h"

namespace summand {
namespace {

// Bitmaps of 32 bits one after the other, each behind the high 32 bits of its values, in their order.
std::size_t read_64(std::span<const std::byte> bytes, const std::string& what, const roaring::TakeRun& take) {
    std::size_t at = 0;
    const auto next = [&]<class T>(T) {
        require(sizeof(T) <= bytes.size() - at, what, ": it ends at byte ", bytes.size());
        at += sizeof(T);
        return load_little<T>(&bytes[at - sizeof(T)]);
    };
    const std::uint64_t parts = next(std::uint64_t{});
    std::uint64_t least = 0;
    for (std::uint64_t i = 0; i < parts; ++i) {
        const std::uint64_t high = next(std::uint32_t{});
        require(high >= least, what, ": its parts are out of order");
        require(high < std::uint64_t{1} << 31, what, ": holds ids beyond 2^63");
        least = high + 1;
        at += roaring::read(bytes.subspan(at), what, [&](std::uint64_t first, std::uint64_t last) {
            take(high << 32 | first, high << 32 | last);
        });
    }
    return at;
}

}  // namespace

IdFilter filter_of_roaring(std::span<const std::byte> bytes, RoaringFormat format, const std::string& name) {
    const std::string what =
        name + ": is no Roaring bitmap of " + (format == RoaringFormat::bits32 ? "32" : "64") + " bits";
    std::vector<IdRange> ranges;
    const auto take = [&](std::uint64_t first, std::uint64_t last) {
        if (!ranges.empty() && static_cast<std::uint64_t>(ranges.back().last) + 1 == first)
            ranges.back().last = static_cast<std::int64_t>(last);
        else
            ranges.push_back({static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)});
    };
    const std::size_t read =
        format == RoaringFormat::bits32 ? roaring::read(bytes, what, take) : read_64(bytes, what, take);
    require(read == bytes.size(), what, ": ", bytes.size() - read, " bytes follow it");
    return IdFilter::ranges(std::move(ranges));
}

}  // namespace summand
