// A gzip file read from its beginning, piece by piece.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <span>
#include <vector>

#include "io/byte_source.h"

namespace summand {

class Gunzip {
public:
    /// Whether the file begins as gzip files do.
    static bool begins(const InputFile& file);

    /// Borrows the file. Throws where it is empty.
    explicit Gunzip(const InputFile& file);
    ~Gunzip();
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;

    /// Fills `out` as far as the content goes; fewer bytes mean that it has ended and its checksum is right.
    std::size_t read(std::span<std::byte> out);

    /// Throws unless the file ends where its compressed content does.
    void check_end() const;

    /// Deflate never shrinks data more than this many times, so a file of s bytes holds at most s times as many.
    static constexpr std::uint64_t kLargestRatio = 1032;

private:
    void refill();

    const InputFile& file_;
    std::vector<std::byte> buffer_;
    std::uint64_t offset_ = 0;  // of the first byte not yet given to zlib
    z_stream stream_{};
    bool ended_ = false;
};

}  // namespace summand
