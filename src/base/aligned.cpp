#include "base/aligned.h"

#include <sys/mman.h>

namespace summand {

LargePages::LargePages(std::size_t bytes) {
    constexpr std::size_t kPage = std::size_t{2} << 20;
    alignment = std::align_val_t{bytes < kPage / 2 ? kCacheLine : kPage};
    if (bytes >= kPage / 2) bytes = (bytes + kPage - 1) / kPage * kPage;
    data = ::operator new(bytes, alignment);
#ifdef MADV_HUGEPAGE
    if (alignment == std::align_val_t{kPage}) madvise(data, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace summand
