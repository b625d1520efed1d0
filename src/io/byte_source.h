// Bytes at offsets, from a file or from memory. Nothing is held in memory that was not asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace summand {

class ByteSource {
public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    virtual std::uint64_t size() const = 0;

    /// Fills `out` with the bytes from `offset` on, all of which must lie inside.
    virtual void read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;

    /// Fills `out` with a piece of `size` bytes from each offset, one after the other. All must lie inside.
    virtual void read_pieces(std::span<const std::uint64_t> offsets, std::size_t size, std::byte* out) const;
};

/// A regular file, read with pread. A memory map (io/mapped_file.h) would save a copy, but a file that another process
/// cuts short while it is mapped ends this process with SIGBUS; a short pread is an error like any other.
class InputFile final : public ByteSource {
public:
    /// Throws `Error` for a missing or unreadable file and for what is not a regular file.
    explicit InputFile(std::string path);
    ~InputFile() override;

    /// All of standard input, which `name` stands for in messages. The first call of the process reads it to its end;
    /// later ones see the same bytes. A regular file that is redirected from its beginning is not copied.
    static std::unique_ptr<InputFile> standard_input(std::string name);

    const std::string& path() const { return path_; }
    int descriptor() const { return descriptor_; }
    std::uint64_t size() const override { return size_; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;

    /// Copies what the system has in its cache first. The rest is asked for all at once, so that the device works on
    /// many reads side by side, and then waited for. Nothing is read that lies between the pieces.
    void read_pieces(std::span<const std::uint64_t> offsets, std::size_t size, std::byte* out) const override;

private:
    bool read_cached(std::uint64_t offset, std::span<std::byte> out) const;

    InputFile(std::string name, int descriptor);

    std::string path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

/// Bytes in memory, borrowed or owned.
class MemoryBytes final : public ByteSource {
public:
    explicit MemoryBytes(std::span<const std::byte> borrowed) : bytes_(borrowed) {}
    explicit MemoryBytes(std::vector<std::byte>&& owned) : owned_(std::move(owned)), bytes_(owned_) {}

    std::uint64_t size() const override { return bytes_.size(); }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    std::vector<std::byte> owned_;
    std::span<const std::byte> bytes_;
};

/// "No such file or directory" and its like, for an errno value.
std::string reason(int error);

}  // namespace summand
