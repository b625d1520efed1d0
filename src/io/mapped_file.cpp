#include "io/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "io/byte_source.h"
#include "io/file_calls.h"
#include "summand/error.h"

namespace summand {

MappedFile::MappedFile(const std::string& path) {
    const InputFile file(path);
    if (file.size() == 0) return;
    void* start = file_calls::map(file.size(), file.descriptor());
    const int error = errno;
    require(start != MAP_FAILED, path, ": cannot map into memory: ", reason(error));
    bytes_ = {static_cast<const std::byte*>(start), static_cast<std::size_t>(file.size())};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace summand
