// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace summand::cli {

std::string grouped(std::uint64_t value);  ///< 1,234,567
std::string bytes_text(double bytes);      ///< 8 B, 4.6 MB
std::string duration(double seconds);      ///< 850 ms, 12 s, 3 min 20 s, 2 h 5 min

}  // namespace summand::cli
