#include "summand/roaring.h"

#include <set>

#include "io/support.h"
#include "store/row_set.h"

namespace summand::test {
namespace {

using Half = std::uint16_t;
using Word = std::uint32_t;
using Long = std::uint64_t;

// Arrays, a bitmap, and ids of two more containers.
std::set<std::int64_t> some_ids() {
    std::set<std::int64_t> ids{0, 1, 2, 65535, 65536, 300000};
    Random random(3);
    for (int i = 0; i < 20000; ++i) ids.insert(static_cast<std::int64_t>(131072 + random.below(65536)));
    return ids;
}

std::string bitmap_of(const std::set<std::int64_t>& ids) {
    RowSet set(400000);
    for (const std::int64_t id : ids) set.add(static_cast<std::size_t>(id));
    const Bytes bytes = to_roaring(set);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

IdFilter filter_of(const std::string& bytes, RoaringFormat format) {
    return filter_of_roaring(std::as_bytes(std::span(bytes)), format, "ids");
}

}  // namespace

TEST(Roaring, AFilterKeepsWhatTheBitmapHolds) {
    const std::set<std::int64_t> ids = some_ids();
    const IdFilter filter = filter_of(bitmap_of(ids), RoaringFormat::bits32);
    for (std::int64_t id = 0; id < 400000; ++id) ASSERT_EQ(filter.keeps(id), ids.contains(id)) << id;
    EXPECT_FALSE(filter.keeps(std::int64_t{1} << 40));
    EXPECT_FALSE(filter_of(bitmap_of({}), RoaringFormat::bits32).keeps(0));
}

TEST(Roaring, IdsOf64BitsNeedNoBitmapOfTheirSize) {
    const std::int64_t far = std::int64_t{0x7fffffff} << 32;
    const std::string bytes =
        bytes_of(Long{2}, Word{1}) + bitmap_of({5, 70000}) + bytes_of(Word{0x7fffffff}) + bitmap_of({7});
    const IdFilter filter = filter_of(bytes, RoaringFormat::bits64);
    EXPECT_TRUE(filter.keeps((std::int64_t{1} << 32) + 5) && filter.keeps((std::int64_t{1} << 32) + 70000));
    EXPECT_TRUE(filter.keeps(far + 7) && !filter.keeps(far + 8) && !filter.keeps(5));
    EXPECT_LT(filter.memory_bytes(), 1000u);
    const std::string runs =
        bytes_of(Half{12347}, Half{0}, std::uint8_t{1}, Half{9}, Half{65535}, Half{1}, Half{0}, Half{65535});
    EXPECT_LT(filter_of(runs, RoaringFormat::bits32).memory_bytes(), 1000u);
    EXPECT_TRUE(filter_of(runs, RoaringFormat::bits32).keeps(9 * 65536 + 65535));
}

TEST(Roaring, EveryCutAndEveryByteBehindTheEndIsRefused) {
    for (const RoaringFormat format : {RoaringFormat::bits32, RoaringFormat::bits64}) {
        const std::string bytes =
            (format == RoaringFormat::bits64 ? bytes_of(Long{1}, Word{3}) : "") + bitmap_of(some_ids());
        for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50)
            expect_error([&] { filter_of(bytes.substr(0, size), format); }, {"ids: is no Roaring bitmap of "});
        expect_error([&] { filter_of(bytes + "x", format); }, {"1 bytes follow"});
    }
}

TEST(Roaring, HostileBytesAreRefused) {
    const auto refused = [](RoaringFormat format, const std::string& bytes, std::string_view part) {
        expect_error([&] { filter_of(bytes, format); }, {"ids: is no Roaring bitmap", part});
    };
    refused(RoaringFormat::bits32, bytes_of(Word{1}), "begins with 1");
    refused(RoaringFormat::bits32, bytes_of(Word{12346}, Word{1}, Half{0}, Half{1}, Word{16}, Half{5}, Half{5}),
            "values are out of order");
    refused(RoaringFormat::bits32,
            bytes_of(Word{12346}, Word{1}, Half{0}, Half{5000}, Word{16}) + std::string(8192, '\0'),
            "holds 0 values and says that it holds 5001");
    refused(RoaringFormat::bits64, bytes_of(~Long{0}), "ends at byte 8");
    refused(RoaringFormat::bits64, bytes_of(Long{2}, Word{4}) + bitmap_of({1}) + bytes_of(Word{4}) + bitmap_of({1}),
            "parts are out of order");
    refused(RoaringFormat::bits64, bytes_of(Long{1}, Word{0x80000000}) + bitmap_of({1}), "beyond 2^63");
}

}  // namespace summand::test
