#include "io/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "io/byte_source.h"
#include "summand/error.h"

namespace summand {

MappedFile::MappedFile(const std::string& path) {
    const InputFile file(path);
    if (file.size() == 0) return;
    void* start = ::mmap(nullptr, file.size(), PROT_READ, MAP_SHARED, file.descriptor(), 0);
    require(start != MAP_FAILED, path, ": cannot map into memory: ", reason(errno));
    bytes_ = {static_cast<const std::byte*>(start), static_cast<std::size_t>(file.size())};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace summand
