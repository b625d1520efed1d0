// Numbers in the archive are little-endian. The directory at the end says where everything is:
//
//     | header 0 | content 0 | … | directory: entry 0 | entry 1 | … | (end of zip64, its locator) | end | comment |
#include "io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "base/byte_order.h"
#include "io/gunzip.h"
#include "summand/error.h"

namespace summand {

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kLocalMark = 0x04034b50, kEntryMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50, kLocatorMark = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr std::uint64_t kLargestDirectory = 64 << 20;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the number is in a zip64 field
constexpr std::size_t kPiece = 1 << 20;

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
    throw Error(concatenate(path, ": damaged or not a zip archive: ", what));
}

Bytes part(const InputFile& file, std::uint64_t offset, std::uint64_t size, std::string_view what) {
    if (offset > file.size() || size > file.size() - offset) damaged(file.path(), what);
    Bytes bytes(size);
    file.read_at(offset, bytes);
    return bytes;
}

template <class T>
T at(const Bytes& bytes, std::size_t offset) {
    return load_little<T>(&bytes[offset]);
}

struct Directory {
    std::uint64_t offset, size;
};

/// Where the last record begins: it is followed by a comment of the length it names.
std::uint64_t find_end(const InputFile& file) {
    const std::uint64_t searched = std::min<std::uint64_t>(file.size(), kEndSize + 0xffff);
    const Bytes tail = part(file, file.size() - searched, searched, "");
    for (std::size_t i = tail.size() + 1 - std::min(tail.size() + 1, kEndSize); i-- > 0;)
        if (at<std::uint32_t>(tail, i) == kEndMark && i + kEndSize + at<std::uint16_t>(tail, i + 20) == tail.size())
            return file.size() - searched + i;
    damaged(file.path(), "it does not end as one");
}

Directory find_directory(const InputFile& file) {
    const std::uint64_t offset = find_end(file);
    const Bytes end = part(file, offset, kEndSize, "");
    Directory found{at<std::uint32_t>(end, 16), at<std::uint32_t>(end, 12)};
    if (found.offset == kIn64 || found.size == kIn64 || at<std::uint16_t>(end, 10) == 0xffff) {
        if (offset < kLocatorSize) damaged(file.path(), "the zip64 locator is missing");
        const Bytes locator = part(file, offset - kLocatorSize, kLocatorSize, "");
        if (at<std::uint32_t>(locator, 0) != kLocatorMark) damaged(file.path(), "the zip64 locator is missing");
        const Bytes end64 = part(file, at<std::uint64_t>(locator, 8), kEnd64Size, "its zip64 end lies outside");
        if (at<std::uint32_t>(end64, 0) != kEnd64Mark) damaged(file.path(), "its zip64 end is missing");
        found = {at<std::uint64_t>(end64, 48), at<std::uint64_t>(end64, 40)};
    }
    if (found.size > kLargestDirectory) damaged(file.path(), "its directory claims more than 64 MiB");
    return found;
}

/// Replaces the numbers that did not fit 32 bits. The zip64 field holds exactly these numbers, in this order.
void read_extra(const Bytes& entries, std::size_t begin, std::size_t end, const std::string& path, ZipMember& member) {
    constexpr std::uint16_t kZip64 = 1;
    while (end - begin >= 4) {
        const auto kind = at<std::uint16_t>(entries, begin);
        const std::size_t size = at<std::uint16_t>(entries, begin + 2);
        begin += 4;
        if (size > end - begin) damaged(path, "a field of its directory is cut off");
        std::size_t field = begin;
        begin += size;
        if (kind != kZip64) continue;
        for (std::uint64_t* value : {&member.size, &member.stored, &member.header}) {
            if (*value != kIn64 || begin - field < sizeof(std::uint64_t)) continue;
            *value = at<std::uint64_t>(entries, field);
            field += sizeof(std::uint64_t);
        }
    }
}

/// Reads the entry at `begin` and moves it to the next one.
ZipMember read_entry(const Bytes& entries, const std::string& path, std::size_t& begin) {
    if (entries.size() - begin < kEntrySize || at<std::uint32_t>(entries, begin) != kEntryMark)
        damaged(path, "an entry of its directory is none");
    const std::size_t name = at<std::uint16_t>(entries, begin + 28), extra = at<std::uint16_t>(entries, begin + 30);
    const std::size_t whole = kEntrySize + name + extra + at<std::uint16_t>(entries, begin + 32);
    if (entries.size() - begin < whole) damaged(path, "an entry of its directory is cut off");
    ZipMember member{.flags = at<std::uint16_t>(entries, begin + 8),
                     .method = at<std::uint16_t>(entries, begin + 10),
                     .checksum = at<std::uint32_t>(entries, begin + 16),
                     .stored = at<std::uint32_t>(entries, begin + 20),
                     .size = at<std::uint32_t>(entries, begin + 24),
                     .header = at<std::uint32_t>(entries, begin + 42)};
    const std::size_t text = begin + kEntrySize;
    member.name.assign(reinterpret_cast<const char*>(entries.data()) + text, name);
    read_extra(entries, text + name, text + name + extra, path, member);
    begin += whole;
    return member;
}

/// Where the stored bytes of a member begin.
std::uint64_t content_offset(const InputFile& file, const ZipMember& member) {
    const Bytes header = part(file, member.header, kLocalSize, "a member lies outside");
    if (at<std::uint32_t>(header, 0) != kLocalMark) damaged(file.path(), "a member's header is missing");
    const std::uint64_t offset =
        member.header + kLocalSize + at<std::uint16_t>(header, 26) + at<std::uint16_t>(header, 28);
    if (offset > file.size() || member.stored > file.size() - offset) damaged(file.path(), "a member is cut off");
    return offset;
}

class StoredMember final : public ByteSource {
public:
    StoredMember(std::unique_ptr<InputFile> file, std::uint64_t offset, std::uint64_t size)
        : file_(std::move(file)), offset_(offset), size_(size) {}

    std::uint64_t size() const override { return size_; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        file_->read_at(offset_ + offset, out);
    }

private:
    std::unique_ptr<InputFile> file_;
    std::uint64_t offset_, size_;
};

std::uint32_t checksum(const ByteSource& content) {
    uLong sum = crc32(0, nullptr, 0);
    Bytes piece(std::min<std::uint64_t>(kPiece, content.size()));
    for (std::uint64_t done = 0; done < content.size(); done += piece.size()) {
        piece.resize(std::min<std::uint64_t>(kPiece, content.size() - done));
        content.read_at(done, piece);
        sum = crc32(sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    }
    return static_cast<std::uint32_t>(sum);
}

/// Ends what zlib holds, whatever happens.
struct Inflation {
    z_stream stream{};
    ~Inflation() { inflateEnd(&stream); }
};

/// The deflated bytes as `member.size` bytes; true only if they are exactly as many.
bool inflate_into(const InputFile& file, std::uint64_t offset, const ZipMember& member, Bytes& content) {
    Inflation inflation;
    z_stream& stream = inflation.stream;
    require(inflateInit2(&stream, -MAX_WBITS) == Z_OK, file.path(), ": zlib could not be started");
    Bytes piece;
    std::byte extra;  // a byte more than promised must not come
    std::uint64_t left = member.stored, done = 0;
    for (int result = Z_OK; result != Z_STREAM_END;) {
        if (stream.avail_in == 0 && left > 0) {
            piece = part(file, offset + member.stored - left, std::min<std::uint64_t>(kPiece, left), "");
            left -= piece.size();
            stream.next_in = reinterpret_cast<Bytef*>(piece.data());
            stream.avail_in = static_cast<uInt>(piece.size());
        }
        const bool full = done == content.size();
        const auto wanted = static_cast<uInt>(full ? 1 : std::min<std::uint64_t>(1 << 30, content.size() - done));
        stream.next_out = reinterpret_cast<Bytef*>(full ? &extra : content.data() + done);
        stream.avail_out = wanted;
        result = inflate(&stream, Z_NO_FLUSH);
        const uInt written = wanted - stream.avail_out;
        if ((result != Z_OK && result != Z_STREAM_END) || (full && written > 0)) return false;
        done += written;
    }
    return done == content.size() && left == 0 && stream.avail_in == 0;
}

std::unique_ptr<ByteSource> inflated(const InputFile& file, std::uint64_t offset, const ZipMember& member) {
    require(member.size / Gunzip::kLargestRatio <= member.stored, file.path(), ": ", member.name, " claims ",
            member.size, " bytes, which ", member.stored, " compressed bytes cannot hold");
    Bytes content(member.size);
    require(inflate_into(file, offset, member, content), file.path(), ": ", member.name,
            ": the compressed data is damaged or not as long as the directory says");
    return std::make_unique<MemoryBytes>(std::move(content));
}

}  // namespace

std::vector<ZipMember> zip_members(const InputFile& file) {
    require(file.size() > 0, file.path(), ": the file is empty");
    const Directory directory = find_directory(file);
    const Bytes entries = part(file, directory.offset, directory.size, "its directory lies outside");
    std::vector<ZipMember> members;
    for (std::size_t begin = 0; begin < entries.size();) members.push_back(read_entry(entries, file.path(), begin));
    return members;
}

std::unique_ptr<ByteSource> open_member(std::unique_ptr<InputFile> file, const ZipMember& member) {
    constexpr std::uint16_t kEncrypted = 1, kStored = 0, kDeflated = 8;
    const std::string path = file->path();
    require((member.flags & kEncrypted) == 0, path, ": ", member.name, " is encrypted");
    require(member.method == kStored || member.method == kDeflated, path, ": ", member.name,
            " is compressed by zip method ", member.method, ", expected 0 (stored) or 8 (deflated)");
    const std::uint64_t offset = content_offset(*file, member);
    std::unique_ptr<ByteSource> content;
    if (member.method == kDeflated) {
        content = inflated(*file, offset, member);
    } else {
        if (member.stored != member.size) damaged(path, "a stored member has two sizes");
        content = std::make_unique<StoredMember>(std::move(file), offset, member.size);
    }
    require(checksum(*content) == member.checksum, path, ": ", member.name, ": the CRC-32 is not as the archive says");
    return content;
}

}  // namespace summand
