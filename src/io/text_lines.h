// Lines of a text file, plain or gzip, one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "io/gunzip.h"

namespace summand {

class TextLines {
public:
    /// Borrows the file.
    explicit TextLines(const InputFile& file);

    /// The next line without its end ("\n" or "\r\n"), valid until the next call; nothing after the last one. A byte
    /// order mark is no part of the first line.
    std::optional<std::string_view> next();

    /// Of the line that `next` gave, from 1.
    std::size_t number() const { return number_; }

private:
    bool read_more();
    std::string_view take(std::size_t length, std::size_t with_end);

    const InputFile& file_;
    std::optional<Gunzip> unzip_;
    std::uint64_t offset_ = 0;  // of the first byte of a plain file that was not read
    std::string text_;          // what was read
    std::size_t begin_ = 0;     // of the next line in it
    std::size_t number_ = 0;
};

}  // namespace summand
