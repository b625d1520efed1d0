#include "io/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "io/byte_source.h"
#include "io/file_calls.h"
#include "summand/error.h"

namespace summand {

void write_all(int descriptor, const std::string& name, std::span<const std::byte> bytes) {
    constexpr std::size_t kLargestWrite = 1 << 30;  // Linux writes less than 2 GiB at once
    while (!bytes.empty()) {
        const ::ssize_t done = file_calls::write(descriptor, bytes.data(), std::min(bytes.size(), kLargestWrite));
        if (done < 0 && errno == EINTR) continue;
        const int error = errno;
        require(done >= 0, name, ": cannot write: ", reason(error));
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
}

TemporaryFile::TemporaryFile(const std::string& name) {
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
    require(!unknown, name, ": there is no folder for temporary files; TMPDIR can name one");
    std::string path = (folder / "summand-XXXXXX").string();
    descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
    const int error = errno;
    require(descriptor_ >= 0, name, ": cannot make a temporary file in ", folder.string(), ": ", reason(error));
    ::unlink(path.c_str());
}

TemporaryFile::~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

int TemporaryFile::release() { return std::exchange(descriptor_, -1); }

}  // namespace summand
