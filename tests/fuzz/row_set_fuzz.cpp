// The bitmap of dead rows. The first two bytes are the number of rows.
#include "store/row_set.h"

#include "fuzz/support.h"

namespace summand::fuzz {
namespace {

// What is read can be written, and is then read again as it was.
void run(Input bytes) {
    if (bytes.size() < 2) return;
    const std::size_t rows = std::to_integer<std::size_t>(bytes[0]) << 8 | std::to_integer<std::size_t>(bytes[1]);
    accepted([&] {
        const RowSet set = from_roaring(bytes.subspan(2), 16 * rows, "fuzz");
        const Bytes again = to_roaring(set);
        must(from_roaring(again, 16 * rows, "fuzz") == set);
    });
}

}  // namespace
}  // namespace summand::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    summand::fuzz::run(summand::fuzz::input(data, size));
    return 0;
}
