// Bytes as text that stands in a page.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace summand::cli {

std::string base64(std::span<const std::byte> bytes);

}  // namespace summand::cli
