// Small grey pictures as text that stands in a page: data:image/png;base64,…
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace summand::cli {

/// Values from 0 to 255, row by row, `width` in a row; others are clamped.
std::string png_data_uri(std::span<const float> values, std::size_t width);

}  // namespace summand::cli
