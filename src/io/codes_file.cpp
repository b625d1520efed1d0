#include "io/codes_file.h"

#include <algorithm>
#include <cmath>

#include "io/metadata.h"

namespace summand {

namespace {

constexpr std::size_t kNibbleWords = 16;  // codes of so few words are stored two to a byte

void check_codes(const Codes& codes, const Quantizer& quantizer) {
    const Dictionaries& words = quantizer.dictionaries;
    require(codes.model == identity(quantizer), "save: the codes were made by model ", hex(codes.model),
            ", expected those of model ", hex(identity(quantizer)));
    require(codes.rows.columns() == words.count, "save: expected codes of ", words.count, " dictionaries, got ",
            codes.rows.columns());
    const std::size_t biases = quantizer.bias == Bias::stored ? codes.size() : 0;
    require(codes.bias.size() == biases, "save: expected ", biases, " biases, got ", codes.bias.size());
    for (std::size_t i = 0; i < codes.bias.size(); ++i)
        require(std::isfinite(codes.bias[i]), "save: the bias of row ", i, " is ", codes.bias[i],
                ", expected a finite number");
    for (std::size_t i = 0; i < codes.rows.size(); ++i)
        require(codes.rows.data()[i] < words.words, "save: row ", i / words.count, " names word ",
                int{codes.rows.data()[i]}, " of a dictionary of ", words.words, " words");
}

std::vector<std::uint8_t> packed_nibbles(const Matrix<std::uint8_t>& rows) {
    const std::size_t width = (rows.columns() + 1) / 2;
    std::vector<std::uint8_t> packed(rows.rows() * width);
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t m = 0; m < rows.columns(); ++m)
            packed[i * width + m / 2] |= static_cast<std::uint8_t>(rows[i][m] << (4 * (m % 2)));
    return packed;
}

Matrix<std::uint8_t> unpacked_nibbles(const std::vector<std::uint8_t>& packed, std::size_t n, std::size_t columns) {
    Matrix<std::uint8_t> rows(n, columns);
    const std::size_t width = (columns + 1) / 2;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t m = 0; m < columns; ++m) rows[i][m] = packed[i * width + m / 2] >> (4 * (m % 2)) & 15;
    return rows;
}

/// The shape that the metadata claims.
struct Extent {
    std::uint64_t vectors;       ///< n; the file has the bytes where a section of n rows was found
    std::uint64_t dictionaries;  ///< M
    std::uint64_t words;         ///< K
};

Matrix<std::uint8_t> read_rows(const ContainerReader& reader, const Extent& extent) {
    const SectionShape shape{extent.vectors, extent.dictionaries};
    Matrix<std::uint8_t> rows;
    if (extent.words <= kNibbleWords) {
        const auto packed = reader.values<std::uint8_t>("codes", Element::nibble, shape);
        rows = unpacked_nibbles(packed, extent.vectors, extent.dictionaries);
        reader.check(packed == packed_nibbles(rows), "section codes has bits set in the unused half of a byte");
    } else {
        auto values = reader.values<std::uint8_t>("codes", Element::uint8, shape);
        rows = {extent.vectors, extent.dictionaries, std::move(values)};
    }
    const auto& values = rows.values();
    const auto bad =
        std::find_if(values.begin(), values.end(), [&](std::uint8_t code) { return code >= extent.words; });
    if (bad != values.end())
        reader.check(false, "row ", static_cast<std::size_t>(bad - values.begin()) / extent.dictionaries,
                     " of the codes names word ", int{*bad}, " of a dictionary of ", extent.words, " words");
    return rows;
}

Codes load_from(const ByteSource& bytes, std::string_view name) {
    const ContainerReader reader(bytes, name);
    reader.expect(Kind::codes, {"codes", "bias"});
    return read_codes(reader, reader.metadata());
}

}  // namespace

void add_codes(ContainerWriter& writer, const Codes& codes, const Quantizer& quantizer) {
    check_codes(codes, quantizer);
    const Dictionaries& words = quantizer.dictionaries;
    writer.metadata["codes"] = {
        {"vectors", codes.size()}, {"dictionaries", words.count}, {"words", words.words}, {"model", hex(codes.model)}};
    const SectionShape shape{codes.size(), words.count};
    if (words.words <= kNibbleWords)
        writer.add("codes", Element::nibble, shape, packed_nibbles(codes.rows));
    else
        writer.add("codes", Element::uint8, shape, codes.rows.values());
    if (quantizer.bias == Bias::stored) writer.add("bias", Element::float32, {codes.size()}, codes.bias);
}

Codes read_codes(const ContainerReader& reader, const nlohmann::json& metadata) {
    const Fields fields(reader, metadata, "codes");
    const Extent extent{fields.count("vectors"), fields.count("dictionaries", 1, kMaxDictionaries),
                        fields.count("words", 2, kMaxWords)};
    Codes codes;
    codes.model = fields.hash("model");
    codes.rows = read_rows(reader, extent);
    if (reader.has("bias")) codes.bias = reader.values<float>("bias", Element::float32, {extent.vectors});
    return codes;
}

Bytes save(const Codes& codes, const Quantizer& quantizer) {
    ContainerWriter writer(Kind::codes);
    add_codes(writer, codes, quantizer);
    return writer.finish();
}

void save(const std::string& path, const Codes& codes, const Quantizer& quantizer) {
    ContainerWriter writer(Kind::codes);
    add_codes(writer, codes, quantizer);
    writer.finish(path);
}

Codes load_codes(std::span<const std::byte> bytes, std::string_view name) {
    return load_from(MemoryBytes(bytes), name);
}

Codes load_codes(const std::string& path) { return load_from(InputFile(path), path); }

}  // namespace summand
