// Buffers aligned to a cache line, for SIMD loads. Storage is not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace summand {

inline constexpr std::size_t kCacheLine = 64;

/// Memory in large pages if the system has them, which need fewer address translations. It has the size asked for, or
/// that size rounded up to whole pages.
struct LargePages {
    explicit LargePages(std::size_t bytes);

    void* data;
    std::align_val_t alignment;
};

template <class T>
class AlignedBuffer {
    static_assert(std::is_trivial_v<T>);

public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t size)
        : data_(static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kCacheLine})), Free{}),
          size_(size) {}

    static AlignedBuffer in_large_pages(std::size_t size) {
        const LargePages pages(size * sizeof(T));
        AlignedBuffer buffer;
        buffer.data_ = {static_cast<T*>(pages.data), Free{pages.alignment}};
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
        std::align_val_t alignment{kCacheLine};
        void operator()(T* p) const { ::operator delete(p, alignment); }
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
