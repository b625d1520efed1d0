// Names shared by the reader and the writer of .npy files.
#pragma once

#include <array>
#include <string_view>

#include "io/source.h"

namespace summand {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyType {
    std::string_view name;  ///< as in the header, quotes included
    Stored type;
};

inline constexpr std::array<NpyType, 11> kNpyTypes{{{"'<f4'", Stored::float32},
                                                    {"'<f2'", Stored::float16},
                                                    {"'<f8'", Stored::float64},
                                                    {"'|u1'", Stored::uint8},
                                                    {"'|i1'", Stored::int8},
                                                    {"'<u2'", Stored::uint16},
                                                    {"'<i2'", Stored::int16},
                                                    {"'<u4'", Stored::uint32},
                                                    {"'<i4'", Stored::int32},
                                                    {"'<u8'", Stored::uint64},
                                                    {"'<i8'", Stored::int64}}};

}  // namespace summand
