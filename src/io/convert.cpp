#include "io/convert.h"

#include <cmath>
#include <limits>

#include "base/byte_order.h"
#include "summand/half.h"

namespace summand {

namespace {

template <class From, class To>
void widen(const std::byte* stored, std::size_t count, To* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<To>(load_little<From>(stored + i * sizeof(From)));
}

template <class To>
void round_all(const float* values, std::size_t count, std::byte* out) {
    for (std::size_t i = 0; i < count; ++i)
        store_little(out + i * sizeof(To), static_cast<To>(std::nearbyint(values[i])));
}

template <class T>
constexpr Range limits() {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

std::size_t size_of(Stored type) {
    switch (type) {
        case Stored::uint8:
        case Stored::int8:
            return 1;
        case Stored::float16:
        case Stored::uint16:
        case Stored::int16:
            return 2;
        case Stored::float64:
        case Stored::uint64:
        case Stored::int64:
            return 8;
        default:
            return 4;
    }
}

std::string_view name(Stored type) {
    switch (type) {
        case Stored::float32:
            return "float32";
        case Stored::float16:
            return "float16";
        case Stored::float64:
            return "float64";
        case Stored::uint8:
            return "uint8";
        case Stored::uint16:
            return "uint16";
        case Stored::uint32:
            return "uint32";
        case Stored::uint64:
            return "uint64";
        case Stored::int8:
            return "int8";
        case Stored::int16:
            return "int16";
        case Stored::int32:
            return "int32";
        default:
            return "int64";
    }
}

void to_floats(Stored type, const std::byte* stored, std::size_t count, float* out) {
    switch (type) {
        case Stored::float32:
            return widen<float>(stored, count, out);
        case Stored::float64:
            return widen<double>(stored, count, out);
        case Stored::uint8:
            return widen<std::uint8_t>(stored, count, out);
        case Stored::uint16:
            return widen<std::uint16_t>(stored, count, out);
        case Stored::uint32:
            return widen<std::uint32_t>(stored, count, out);
        case Stored::uint64:
            return widen<std::uint64_t>(stored, count, out);
        case Stored::int8:
            return widen<std::int8_t>(stored, count, out);
        case Stored::int16:
            return widen<std::int16_t>(stored, count, out);
        case Stored::int32:
            return widen<std::int32_t>(stored, count, out);
        case Stored::int64:
            return widen<std::int64_t>(stored, count, out);
        case Stored::float16:
            for (std::size_t i = 0; i < count; ++i) out[i] = half_to_float(load_little<std::uint16_t>(stored + 2 * i));
    }
}

void to_ids(Stored type, const std::byte* stored, std::size_t count, std::int64_t* out) {
    if (type == Stored::int32) return widen<std::int32_t>(stored, count, out);
    if (type == Stored::uint32) return widen<std::uint32_t>(stored, count, out);
    widen<std::int64_t>(stored, count, out);
}

Range range_of(Stored type) {
    switch (type) {
        case Stored::uint8:
            return limits<std::uint8_t>();
        case Stored::int8:
            return limits<std::int8_t>();
        case Stored::int32:
            return limits<std::int32_t>();
        default:
            return limits<std::int64_t>();
    }
}

void from_floats(Stored type, const float* values, std::size_t count, std::byte* out) {
    switch (type) {
        case Stored::uint8:
            return round_all<std::uint8_t>(values, count, out);
        case Stored::int8:
            return round_all<std::int8_t>(values, count, out);
        case Stored::int32:
            return round_all<std::int32_t>(values, count, out);
        default:
            std::memcpy(out, values, count * sizeof(float));
    }
}

void from_ids(Stored type, const std::int64_t* ids, std::size_t count, std::byte* out) {
    if (type == Stored::int64) {
        std::memcpy(out, ids, count * sizeof(std::int64_t));
        return;
    }
    for (std::size_t i = 0; i < count; ++i) store_little(out + 4 * i, static_cast<std::int32_t>(ids[i]));
}

}  // namespace summand
