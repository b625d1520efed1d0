// .csv and .tsv, plain or gzip: a vector per line, its numbers separated by commas, semicolons or blanks. A first line
// without any number is a header. Held in memory as floats.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/source.h"
#include "io/text_lines.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The separator of a line. A line with ';' and ',' has decimal commas, as some countries write them.
char separator_of(std::string_view line) {
    for (const char separator : {';', ','})
        if (line.find(separator) != std::string_view::npos) return separator;
    return ' ';
}

/// Calls take(field) for each field, without the blanks around it. Several blanks separate once.
template <class Take>
void for_each_field(std::string_view line, const Take& take) {
    const char separator = separator_of(line);
    const std::string_view ends = separator == ' ' ? kBlanks : std::string_view(&separator, 1);
    for (line = trimmed(line);;) {
        const std::size_t end = line.find_first_of(ends);
        take(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return;
        line.remove_prefix(end + 1);
        if (separator == ' ') line = trimmed(line);
    }
}

/// A number as C writes it, whatever the locale; one too small or too large for float becomes zero or infinity.
std::optional<float> number(std::string_view field) {
    if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
    const char* last = field.data() + field.size();
    float value = 0;
    auto [end, status] = std::from_chars(field.data(), last, value);
    if (status == std::errc::result_out_of_range) {
        double wide = 0;
        status = std::from_chars(field.data(), last, wide).ec;
        value = static_cast<float>(wide);
    }
    if (status != std::errc() || end != last) return std::nullopt;
    return value;
}

bool is_header(std::string_view line) {
    bool any = false;
    for_each_field(line, [&](std::string_view field) { any = any || number(field); });
    return !any;
}

/// The beginning of a field, fit for a message.
std::string shown(std::string_view field) {
    constexpr std::size_t kMost = 30;
    std::string text(field.substr(0, kMost));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
    return field.size() > kMost ? text + "..." : text;
}

struct Table {
    std::vector<float> values;
    std::size_t rows = 0, columns = 0, first_line = 0;
};

void append_line(std::string_view line, const TextLines& lines, const std::string& path, Table& table) {
    const std::size_t before = table.values.size();
    for_each_field(line, [&](std::string_view field) {
        const std::optional<float> value = number(field);
        if (!value || !std::isfinite(*value))
            throw Error(concatenate(path, ": line ", lines.number(), ", column ", table.values.size() - before + 1,
                                    field.empty() ? " is empty" : " is '" + shown(field) + "'",
                                    ", expected a finite number such as -1.5e3"));
        table.values.push_back(*value);
    });
    const std::size_t columns = table.values.size() - before;
    if (table.rows++ == 0) {
        table.columns = columns;
        table.first_line = lines.number();
    }
    require(columns == table.columns, path, ": line ", lines.number(), " has ", columns, " numbers, expected ",
            table.columns, " as in line ", table.first_line);
}

Table read_table(const InputFile& file) {
    TextLines lines(file);
    Table table;
    bool begun = false;
    while (const auto line = lines.next()) {
        if (trimmed(*line).empty()) continue;
        if (begun || !is_header(*line)) append_line(*line, lines, file.path(), table);
        begun = true;
    }
    return table;
}

class Text final : public VectorReader::Source {
public:
    Text(const Shape& shape, std::vector<float> values) : Source(shape), values_(std::move(values)) {}

    void read(std::size_t first, std::size_t count, std::byte* out) const override {
        std::memcpy(out, values_.data() + first * shape().columns, count * shape().row_bytes());
    }

private:
    std::vector<float> values_;
};

}  // namespace

SourcePointer open_text(std::unique_ptr<InputFile> file) {
    Table table = read_table(*file);
    require(table.rows > 0, file->path(), ": holds no line of numbers, expected a vector per line");
    const Shape shape{table.rows, table.columns, Stored::float32};
    check_shape(file->path(), shape);
    return std::make_unique<Text>(shape, std::move(table.values));
}

}  // namespace summand
