#include "text_file.h"

#include <span>

#include "interrupt.h"
#include "summand/io.h"

namespace summand::cli {

void save_text(const std::string& path, const std::string& text) {
    const SaveGuard guard;
    write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace summand::cli
