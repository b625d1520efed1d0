// Buffers aligned to a cache line, for SIMD loads. Storage is not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace summand {

inline constexpr std::size_t kCacheLine = 64;

/// Memory of at least so many bytes, in large pages where the system has them: they spare address translations where
/// much is read. It comes from the system and goes back there: a heap would keep holes between pages of that alignment.
void* map_large_pages(std::size_t bytes);
void unmap_large_pages(void* data, std::size_t bytes);

/// Less than that is no gain by large pages.
inline constexpr std::size_t kLeastInLargePages = std::size_t{1} << 20;

template <class T>
class AlignedBuffer {
    static_assert(std::is_trivial_v<T>);

public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t size)
        : data_(static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kCacheLine})), Free{}),
          size_(size) {}

    static AlignedBuffer in_large_pages(std::size_t size) {
        const std::size_t bytes = size * sizeof(T);
        if (bytes < kLeastInLargePages) return AlignedBuffer(size);
        AlignedBuffer buffer;
        buffer.data_ = {static_cast<T*>(map_large_pages(bytes)), Free{bytes}};
        buffer.size_ = size;
        return buffer;
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    struct Free {
        std::size_t mapped = 0;  // bytes in large pages
        void operator()(T* p) const {
            mapped > 0 ? unmap_large_pages(p, mapped) : ::operator delete (p, std::align_val_t{kCacheLine});
        }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

/// A buffer that is kept from call to call; declare it thread_local.
template <class T>
class Scratch {
public:
    /// At least `size` values, of any content.
    T* at_least(std::size_t size) {
        if (buffer_.size() < size) buffer_ = AlignedBuffer<T>(size);
        return buffer_.data();
    }

private:
    AlignedBuffer<T> buffer_;
};

}  // namespace summand
