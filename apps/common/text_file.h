// Text files that tools write and read again.
#pragma once

#include <optional>
#include <string>

namespace summand::cli {

/// Writes a whole file; an interrupt waits until it is there.
void save_text(const std::string& path, const std::string& text);

/// A whole file; nothing where there is none.
std::optional<std::string> read_text(const std::string& path);

}  // namespace summand::cli
