#include "text_file.h"

#include <fstream>
#include <span>
#include <sstream>

#include "interrupt.h"
#include "summand/io.h"

namespace summand::cli {

void save_text(const std::string& path, const std::string& text) {
    const SaveGuard guard;
    write_file(path, std::as_bytes(std::span(text)));
}

std::optional<std::string> read_text(const std::string& path) {
    std::ifstream file(path);
    if (!file) return {};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace summand::cli
