#include "io/packed_codes_file.h"

#include <algorithm>
#include <cmath>

#include "io/in_place.h"
#include "io/metadata.h"

namespace summand {

namespace {

SectionShape block_shape(const PackedShape& shape, std::size_t rows) { return {shape.blocks(), rows, kBlockVectors}; }

/// The scan relies on levels that are not above the biases they stand for.
void check_levels(const ContainerReader& reader, const PackedCodes& codes) {
    const auto levels = codes.parts().bias_levels;
    reader.check(std::all_of(levels.begin(), levels.end(), [](float level) { return std::isfinite(level); }),
                 "section bias_levels holds a number that is not finite");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::uint8_t level = *codes.vector(i).row(codes.code_planes());
        reader.check(std::isfinite(codes.bias(i)) && levels[level] <= codes.bias(i) && levels[0] <= levels[level],
                     "the bias of row ", i, " does not fit its level");
    }
}

}  // namespace

void add_packed_codes(ContainerWriter& writer, const PackedCodes& codes) {
    const PackedCodes::Parts& parts = codes.parts();
    const PackedShape& shape = codes.shape();
    writer.metadata["codes"] = {{"vectors", shape.size},
                                {"dictionaries", shape.dictionaries},
                                {"words", shape.words},
                                {"model", hex(parts.model)}};
    writer.add("slots", Element::uint8, {codes.dictionaries(), codes.slot_count()}, parts.slots);
    writer.add("packed", Element::uint8, block_shape(shape, shape.rows()), parts.rows);
    if (shape.quads > 0) writer.add("packed_tops", Element::uint8, block_shape(shape, shape.quads), parts.tops);
    if (!codes.has_bias()) return;
    writer.add("bias", Element::float32, {codes.size()}, parts.bias);
    writer.add("bias_levels", Element::float32, {kByteSlots}, parts.bias_levels);
}

std::shared_ptr<const PackedCodes> read_packed_codes(const ContainerReader& reader, const nlohmann::json& metadata,
                                                     std::span<const std::byte> file,
                                                     std::shared_ptr<const void> owner) {
    const Fields fields(reader, metadata, "codes");
    const bool bias = reader.has("bias");
    PackedCodes::Parts parts{.shape = {.size = fields.count("vectors"),
                                       .dictionaries = fields.count("dictionaries", 1, kMaxDictionaries),
                                       .words = fields.count("words", 2, kMaxWords),
                                       .bias = bias},
                             .model = fields.hash("model"),
                             .owner = std::move(owner)};
    PackedShape& shape = parts.shape;
    if (reader.has("packed_tops")) shape.quads = shape.most_quads();
    const auto bytes = [&](const char* section, const SectionShape& expected) {
        return in_place<std::uint8_t>(reader, file, section, Element::uint8, expected);
    };
    parts.slots = bytes("slots", {shape.dictionaries, shape.slot_count()});
    if (bias) {
        parts.bias = in_place<float>(reader, file, "bias", Element::float32, {shape.size});
        parts.bias_levels = in_place<float>(reader, file, "bias_levels", Element::float32, {kByteSlots});
    }
    parts.rows = bytes("packed", block_shape(shape, shape.rows()));
    if (shape.quads > 0) parts.tops = bytes("packed_tops", block_shape(shape, shape.quads));
    auto codes = std::make_shared<const PackedCodes>(std::move(parts));
    if (bias) check_levels(reader, *codes);
    return codes;
}

}  // namespace summand
