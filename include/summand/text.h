// Numbers as people read and write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace summand {

std::string grouped(std::uint64_t value);  ///< 1,234,567
std::string bytes_text(double bytes);      ///< 8 B, 4.6 MB
std::string duration(double seconds);      ///< 850 ms, 12 s, 3 min 20 s, 2 h 5 min

/// "2G", "512MB", "1.5GiB" or a plain number; -1 for other text.
double parse_bytes(std::string_view text);

}  // namespace summand
