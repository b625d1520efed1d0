#include "io/gunzip.h"

#include <algorithm>
#include <array>

#include "summand/error.h"

namespace summand {

bool Gunzip::begins(const InputFile& file) {
    std::array<std::byte, 2> start{};
    if (file.size() >= start.size()) file.read_at(0, start);
    return start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

Gunzip::Gunzip(const InputFile& file) : file_(file), buffer_(1 << 16) {
    require(file.size() > 0, file.path(), ": the file is empty");
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    require(inflateInit2(&stream_, kGzipOnly) == Z_OK, file.path(), ": zlib could not be started");
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::refill() {
    const std::size_t size = std::min<std::uint64_t>(buffer_.size(), file_.size() - offset_);
    require(size > 0, file_.path(), ": truncated: the compressed data has no end");
    file_.read_at(offset_, {buffer_.data(), size});
    offset_ += size;
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(size);
}

std::size_t Gunzip::read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (!ended_ && done < out.size()) {
        if (stream_.avail_in == 0) refill();
        const auto wanted = static_cast<uInt>(std::min<std::size_t>(out.size() - done, 1 << 30));
        stream_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
        stream_.avail_out = wanted;
        const int result = inflate(&stream_, Z_NO_FLUSH);
        require(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, file_.path(),
                ": damaged or not gzip: ", stream_.msg != nullptr ? stream_.msg : "zlib gave no reason");
        done += wanted - stream_.avail_out;
        ended_ = result == Z_STREAM_END;
    }
    return done;
}

void Gunzip::check_end() const {
    const std::uint64_t rest = file_.size() - offset_ + stream_.avail_in;
    require(rest == 0, file_.path(), ": trailing bytes: ", rest, " follow the compressed data");
}

}  // namespace summand
