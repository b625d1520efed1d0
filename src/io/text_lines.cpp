#include "io/text_lines.h"

#include <algorithm>

#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kLongestLine = 64 << 20;  // of vectors, a few million dimensions: longer ones are no text

}  // namespace

TextLines::TextLines(const InputFile& file) : file_(file) {
    require(file.size() > 0, file.path(), ": the file is empty");
    if (Gunzip::begins(file)) unzip_.emplace(file);
}

std::optional<std::string_view> TextLines::next() {
    for (std::size_t searched = begin_;;) {
        const std::size_t end = text_.find('\n', searched);
        if (end != std::string::npos) return take(end - begin_, end - begin_ + 1);
        require(text_.size() - begin_ < kLongestLine, file_.path(), ": line ", number_ + 1, " is longer than ",
                kLongestLine, " bytes; expected text with a vector per line");
        searched = text_.size() - begin_;  // what is read moves to the front
        if (read_more()) continue;
        if (begin_ == text_.size()) return std::nullopt;
        return take(text_.size() - begin_, text_.size() - begin_);
    }
}

/// Drops the lines that were given and appends a piece; false at the end of the file.
bool TextLines::read_more() {
    text_.erase(0, begin_);
    begin_ = 0;
    const std::size_t before = text_.size();
    const std::size_t most = unzip_ ? kPiece : std::min<std::uint64_t>(kPiece, file_.size() - offset_);
    text_.resize(before + most);
    const auto piece = std::as_writable_bytes(std::span(text_).subspan(before));
    if (unzip_) {
        text_.resize(before + unzip_->read(piece));
        if (text_.size() == before) unzip_->check_end();
    } else {
        file_.read_at(offset_, piece);
        offset_ += most;
    }
    return text_.size() > before;
}

std::string_view TextLines::take(std::size_t length, std::size_t with_end) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    std::string_view line = std::string_view(text_).substr(begin_, length);
    begin_ += with_end;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    return line;
}

}  // namespace summand
