#include "base/aligned.h"

#include <sys/mman.h>

#include <cstdint>

namespace summand {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

// One page more is mapped than is needed, and what lies before and behind the aligned ones is given back.
void* map_large_pages(std::size_t bytes) {
    const std::size_t size = whole_pages(bytes);
    void* mapped = mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    char* const first = static_cast<char*>(mapped);
    const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(mapped) % kPage) % kPage;
    if (before > 0) munmap(first, before);
    munmap(first + before + size, kPage - before);
#ifdef MADV_HUGEPAGE
    madvise(first + before, size, MADV_HUGEPAGE);
#endif
    return first + before;
}

void unmap_large_pages(void* data, std::size_t bytes) { munmap(data, whole_pages(bytes)); }

}  // namespace summand
