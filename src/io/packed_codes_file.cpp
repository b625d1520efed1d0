#include "io/packed_codes_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_order.h"
#include "base/hash.h"
#include "io/in_place.h"
#include "io/metadata.h"

namespace summand {

namespace {

constexpr const char* kPieceSums = "piece_sums";
constexpr std::size_t kFewBytes = 1 << 20;  // of codes, which are read in no time
constexpr auto kLargestId = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

SectionShape block_shape(const PackedShape& shape, std::size_t rows) { return {shape.blocks(), rows, kBlockVectors}; }

/// The scan relies on levels that are not above the biases they stand for.
std::string problem_of_levels(const PackedCodes& codes, std::size_t first, std::size_t last) {
    const auto levels = codes.parts().bias_levels;
    for (std::size_t i = first; i < last; ++i) {
        const std::uint8_t level = *codes.vector(i).row(codes.code_planes());
        if (!std::isfinite(codes.bias(i)) || levels[level] > codes.bias(i) || levels[0] > levels[level])
            return concatenate("the bias of row ", i, " does not fit its level");
    }
    return {};
}

/// Sections that are looked at piece by piece, and what they should be.
class Pieces {
public:
    /// `codes` without checks of their own.
    Pieces(PackedCodes codes, std::span<const std::uint64_t> ids) : codes_(std::move(codes)), ids_(ids) {}

    std::size_t count() const { return (codes_.block_count() + kPieceBlocks - 1) / kPieceBlocks; }

    /// Of the rows, tops, biases and ids of a piece, one after the other.
    std::uint32_t sum(std::size_t piece) const {
        const PackedShape& shape = codes_.shape();
        const Range blocks = blocks_of(piece), vectors = vectors_of(piece);
        std::uint32_t crc = 0;
        const auto add = [&]<class T>(std::span<const T> values, const Range& own, std::size_t each) {
            if (!values.empty())
                crc = crc32_of(&values[own.first * each], (own.last - own.first) * each * sizeof(T), crc);
        };
        add(codes_.parts().rows, blocks, shape.rows() * kBlockVectors);
        add(codes_.parts().tops, blocks, shape.quads * kBlockVectors);
        add(codes_.parts().bias, vectors, 1);
        add(ids_, vectors, 1);
        return crc;
    }

    /// Whether the values make sense; empty, or what is wrong.
    std::string problem(std::size_t piece, std::uint64_t largest_id) const {
        const Range vectors = vectors_of(piece);
        for (std::size_t i = vectors.first; !ids_.empty() && i < vectors.last; ++i)
            if (ids_[i] > largest_id) return concatenate("expected ids up to ", largest_id, ", got ", ids_[i]);
        return codes_.has_bias() ? problem_of_levels(codes_, vectors.first, vectors.last) : std::string();
    }

private:
    struct Range {
        std::size_t first, last;
    };
    Range blocks_of(std::size_t piece) const {
        return {piece * kPieceBlocks, std::min((piece + 1) * kPieceBlocks, codes_.block_count())};
    }
    Range vectors_of(std::size_t piece) const {
        const Range blocks = blocks_of(piece);
        return {blocks.first * kBlockVectors, std::min(blocks.last * kBlockVectors, codes_.size())};
    }

    PackedCodes codes_;
    std::span<const std::uint64_t> ids_;
};

std::shared_ptr<const PieceChecks> checks_of(const IndexFile& file, Pieces pieces, std::uint64_t largest_id) {
    auto sums = file.reader.values<std::byte>(kPieceSums, Element::uint8, {pieces.count(), sizeof(std::uint32_t)});
    const std::size_t count = pieces.count();
    const auto check = [name = file.name, sums = std::move(sums), pieces = std::move(pieces),
                        largest_id](std::size_t piece) {
        const std::size_t first = piece * kPieceBlocks * kBlockVectors;
        const auto expected = load_little<std::uint32_t>(&sums[piece * sizeof(std::uint32_t)]);
        require(pieces.sum(piece) == expected, name, ": the codes from vector ", first,
                " on are damaged: their checksum does not match");
        const std::string problem = pieces.problem(piece, largest_id);
        require(problem.empty(), name, ": ", problem);
    };
    return std::make_shared<const PieceChecks>(count, check);
}

}  // namespace

void add_packed_codes(ContainerWriter& writer, const PackedCodes& codes, std::span<const std::uint64_t> ids) {
    codes.require_sound();
    const PackedCodes::Parts& parts = codes.parts();
    const PackedShape& shape = codes.shape();
    writer.metadata["codes"] = {{"vectors", shape.size},
                                {"dictionaries", shape.dictionaries},
                                {"words", shape.words},
                                {"model", hex(parts.model)}};
    writer.add("slots", Element::uint8, {codes.dictionaries(), codes.slot_count()}, parts.slots);
    writer.add("packed", Element::uint8, block_shape(shape, shape.rows()), parts.rows);
    if (shape.quads > 0) writer.add("packed_tops", Element::uint8, block_shape(shape, shape.quads), parts.tops);
    if (codes.has_bias()) {
        writer.add("bias", Element::float32, {codes.size()}, parts.bias);
        writer.add("bias_levels", Element::float32, {kByteSlots}, parts.bias_levels);
    }
    if (parts.rows.size() + parts.tops.size() <= kFewBytes) return;
    const Pieces pieces(codes, ids);
    Bytes sums(pieces.count() * sizeof(std::uint32_t));
    for (std::size_t piece = 0; piece < pieces.count(); ++piece)
        store_little(&sums[piece * sizeof(std::uint32_t)], pieces.sum(piece));
    writer.add(kPieceSums, Element::uint8, {pieces.count(), sizeof(std::uint32_t)}, std::move(sums));
}

PackedSections read_packed_codes(const IndexFile& file, IdsBeside beside) {
    const ContainerReader& reader = file.reader;
    const Fields fields(reader, file.metadata, "codes");
    const bool bias = reader.has("bias");
    PackedCodes::Parts parts{.shape = {.size = fields.count("vectors"),
                                       .dictionaries = fields.count("dictionaries", 1, kMaxDictionaries),
                                       .words = fields.count("words", 2, kMaxWords),
                                       .bias = bias},
                             .model = fields.hash("model"),
                             .owner = file.owner};
    PackedShape& shape = parts.shape;
    const bool later = file.checking == Checking::on_first_use && reader.has(kPieceSums);
    const auto large = [&]<class T>(T, const char* section, Element type, const SectionShape& expected) {
        return later ? in_place_unchecked<T>(reader, file.bytes, section, type, expected)
                     : in_place<T>(reader, file.bytes, section, type, expected);
    };
    if (reader.has("packed_tops")) shape.quads = shape.most_quads();
    parts.slots =
        in_place<std::uint8_t>(reader, file.bytes, "slots", Element::uint8, {shape.dictionaries, shape.slot_count()});
    if (bias) {
        parts.bias = large(float{}, "bias", Element::float32, {shape.size});
        parts.bias_levels = in_place<float>(reader, file.bytes, "bias_levels", Element::float32, {kByteSlots});
        reader.check(std::all_of(parts.bias_levels.begin(), parts.bias_levels.end(),
                                 [](float level) { return std::isfinite(level); }),
                     "section bias_levels holds a number that is not finite");
    }
    parts.rows = large(std::uint8_t{}, "packed", Element::uint8, block_shape(shape, shape.rows()));
    if (shape.quads > 0)
        parts.tops = large(std::uint8_t{}, "packed_tops", Element::uint8, block_shape(shape, shape.quads));
    std::span<const std::uint64_t> ids;
    if (beside != IdsBeside::none) ids = large(std::uint64_t{}, "ids", Element::uint64, {shape.size});
    const PackedCodes unchecked(parts);
    if (!reader.has(kPieceSums)) {
        const std::string problem = bias ? problem_of_levels(unchecked, 0, unchecked.size()) : std::string();
        reader.check(problem.empty(), problem);
        return {std::make_shared<const PackedCodes>(std::move(parts)), ids};
    }
    const std::uint64_t largest = beside == IdsBeside::rows ? std::max<std::uint64_t>(shape.size, 1) - 1 : kLargestId;
    auto checks = checks_of(file, Pieces(unchecked, ids), largest);
    if (later)
        parts.checks = std::move(checks);
    else
        checks->require_all({});
    return {std::make_shared<const PackedCodes>(std::move(parts)), ids};
}

}  // namespace summand
