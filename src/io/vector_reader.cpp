#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "io/convert.h"
#include "io/formats.h"
#include "io/source.h"
#include "io/text_lines.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;  // read at once, so that a file of any size needs little memory

/// Calls body(first, count) for consecutive pieces of rows.
template <class Body>
void in_pieces(const Shape& shape, std::size_t first, std::size_t count, const Body& body) {
    const std::size_t piece = std::max<std::size_t>(1, kPieceBytes / std::max<std::size_t>(1, shape.row_bytes()));
    for (std::size_t done = 0; done < count; done += piece) body(first + done, std::min(piece, count - done));
}

void check_finite(const std::string& path, const float* values, std::size_t first, std::size_t count,
                  std::size_t columns) {
    for (std::size_t i = 0; i < count * columns; ++i)
        require(std::isfinite(values[i]), path, ": row ", first + i / columns, ", column ", i % columns, " is ",
                values[i], ", expected a finite number");
}

// Scores are +infinity where a search found nothing.
void check_scores(const std::string& path, const float* scores, std::size_t first, std::size_t count,
                  std::size_t columns) {
    for (std::size_t i = 0; i < count * columns; ++i)
        require(scores[i] > -std::numeric_limits<float>::infinity(), path, ": row ", first + i / columns, ", column ",
                i % columns, " is ", scores[i], ", expected a number or +infinity");
}

// check(path, values, first row, rows, columns) sees the values of each piece.
template <class Check>
Matrix<float> read_floats(const VectorReader::Source& source, std::size_t first, std::size_t count,
                          const std::string& path, const Check& check) {
    const Shape& shape = source.shape();
    Matrix<float> result(count, shape.columns);
    std::vector<std::byte> stored;
    in_pieces(shape, first, count, [&](std::size_t begin, std::size_t size) {
        float* out = result.row(begin - first);
        if (shape.type == Stored::float32) {
            source.read(begin, size, reinterpret_cast<std::byte*>(out));
        } else {
            stored.resize(size * shape.row_bytes());
            source.read(begin, size, stored.data());
            to_floats(shape.type, stored.data(), size * shape.columns, out);
        }
        check(path, out, begin, size, shape.columns);
    });
    return result;
}

void check_ids(const std::string& path, const std::int64_t* ids, std::size_t first, std::size_t count,
               std::size_t columns) {
    for (std::size_t i = 0; i < count * columns; ++i)
        require(ids[i] >= kNoId, path, ": row ", first + i / columns, " has id ", ids[i], ", expected -1 or more");
}

bool holds_ids(Stored type) {
    return type == Stored::int32 || type == Stored::uint32 || type == Stored::int64 || type == Stored::uint64;
}

}  // namespace

std::string_view name(ElementType type) {
    switch (type) {
        case ElementType::float32:
            return "float32";
        case ElementType::float16:
            return "float16";
        case ElementType::uint8:
            return "uint8";
        case ElementType::int8:
            return "int8";
        default:
            return "int32";
    }
}

VectorReader::VectorReader(const std::string& path) : source_(open_matrix(path, "train")), path_(path) {}

VectorReader::~VectorReader() = default;
VectorReader::VectorReader(VectorReader&&) noexcept = default;
VectorReader& VectorReader::operator=(VectorReader&&) noexcept = default;

const std::string& VectorReader::path() const { return path_; }
std::size_t VectorReader::rows() const { return source_->shape().rows; }
std::size_t VectorReader::columns() const { return source_->shape().columns; }

ElementType VectorReader::type() const {
    switch (source_->shape().type) {
        case Stored::float16:
            return ElementType::float16;
        case Stored::uint8:
            return ElementType::uint8;
        case Stored::int8:
            return ElementType::int8;
        case Stored::int32:
            return ElementType::int32;
        default:
            return ElementType::float32;
    }
}

Matrix<float> VectorReader::read(std::size_t first, std::size_t count) const {
    require(first <= rows() && count <= rows() - first, path_, ": expected rows below ", rows(), ", got ", count,
            " rows from ", first);
    return read_floats(*source_, first, count, path_, check_finite);
}

Matrix<float> VectorReader::read_rows(std::span<const std::int64_t> numbers) const {
    const Shape& shape = source_->shape();
    for (const std::int64_t number : numbers)
        require(number >= 0 && static_cast<std::uint64_t>(number) < shape.rows, path_, ": expected rows below ",
                shape.rows, ", got ", number);
    Matrix<float> result(numbers.size(), shape.columns);
    if (shape.type == Stored::float32) {
        source_->read_rows(numbers, reinterpret_cast<std::byte*>(result.data()));
    } else {
        std::vector<std::byte> stored(numbers.size() * shape.row_bytes());
        source_->read_rows(numbers, stored.data());
        to_floats(shape.type, stored.data(), result.size(), result.data());
    }
    for (std::size_t i = 0; i < numbers.size(); ++i)
        check_finite(path_, result.row(i), static_cast<std::size_t>(numbers[i]), 1, shape.columns);
    return result;
}

Matrix<float> read_vectors(const std::string& path) {
    const VectorReader reader(path);
    return reader.read(0, reader.rows());
}

Matrix<float> read_scores(const std::string& path) {
    const SourcePointer source = open_matrix(path, "distances");
    const Shape& shape = source->shape();
    require(shape.type == Stored::float32 || shape.type == Stored::float64, path, ": holds ", name(shape.type),
            ", expected scores: .fvecs, .fbin, .npy of floats, or file.hdf5:distances");
    return read_floats(*source, 0, shape.rows, path, check_scores);
}

namespace {

Matrix<std::int64_t> ids_of(const VectorReader::Source& source, const std::string& path) {
    const Shape& shape = source.shape();
    require(holds_ids(shape.type), path, ": holds ", name(shape.type),
            ", expected ids: .ivecs, .ibin, .npy or .npz of int32 or int64, or file.hdf5:neighbors");
    Matrix<std::int64_t> result(shape.rows, shape.columns);
    std::vector<std::byte> stored;
    in_pieces(shape, 0, shape.rows, [&](std::size_t begin, std::size_t size) {
        stored.resize(size * shape.row_bytes());
        source.read(begin, size, stored.data());
        to_ids(shape.type, stored.data(), size * shape.columns, result.row(begin));
        check_ids(path, result.row(begin), begin, size, shape.columns);
    });
    return result;
}

}  // namespace

Matrix<std::int64_t> read_ids(const std::string& path) { return ids_of(*open_matrix(path, "neighbors"), path); }

namespace {

bool is_text(const std::string& path) {
    const auto format = parse_vector_path(path).format;
    return !format || format->layout == Layout::text;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return number;
}

// take(word, number of its line) for what blanks, commas and ends of lines divide; until it returns false.
template <class Take>
void for_each_word(const std::string& path, const Take& take) {
    const InputFile file(vector_file(path));
    TextLines lines(file);
    while (const std::optional<std::string_view> line = lines.next())
        for (std::string_view rest = *line;;) {
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t,"), rest.size()));
            if (rest.empty()) break;
            const std::string_view word = rest.substr(0, rest.find_first_of(" \t,"));
            if (!take(word, lines.number())) return;
            rest.remove_prefix(word.size());
        }
}

}  // namespace

std::vector<std::int64_t> read_id_list(const std::string& path) {
    if (!is_text(path)) return ids_of(*open_source(path, "ids"), path).values();
    std::vector<std::int64_t> ids;
    for_each_word(path, [&](std::string_view word, std::size_t line) {
        const std::optional<std::int64_t> id = whole_number(word);
        require(id.has_value(), path, ": line ", line, " holds '", word, "', expected ids: whole numbers below 2^63");
        ids.push_back(*id);
        return true;
    });
    return ids;
}

bool holds_id_list(const std::string& path) {
    bool all = true;
    if (is_text(path))
        for_each_word(path, [&](std::string_view word, std::size_t) { return all = whole_number(word).has_value(); });
    return all;
}

std::vector<std::string> read_names(const std::string& path) {
    require(is_text(path), path, ": holds numbers, expected a text file with an id in each line");
    const InputFile file(vector_file(path));
    TextLines lines(file);
    std::vector<std::string> names;
    while (const std::optional<std::string_view> line = lines.next()) {
        require(!line->empty(), path, ": line ", lines.number(), " is empty, expected an id in each line");
        names.emplace_back(*line);
    }
    return names;
}

}  // namespace summand
