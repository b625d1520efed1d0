// What files and pipes share: writing all of some bytes, and temporary files without a name.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace summand {

/// Throws `Error` with `name` where not all of the bytes can be written.
void write_all(int descriptor, const std::string& name, std::span<const std::byte> bytes);

/// An empty file in the folder for temporary files (TMPDIR, /tmp) that has no name: it vanishes with its last
/// descriptor, however the process ends.
class TemporaryFile {
public:
    /// `name`: what the file stands for, in messages.
    explicit TemporaryFile(const std::string& name);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor() const { return descriptor_; }

    /// The descriptor, which the caller then owns.
    int release();

private:
    int descriptor_ = -1;
};

}  // namespace summand
