// Text files that tools write.
#pragma once

#include <string>

namespace summand::cli {

/// Writes a whole file; an interrupt waits until it is there.
void save_text(const std::string& path, const std::string& text);

}  // namespace summand::cli
