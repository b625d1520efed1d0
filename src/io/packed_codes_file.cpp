#include "io/packed_codes_file.h"

#include <algorithm>
#include <cmath>

#include "io/in_place.h"
#include "io/metadata.h"

namespace summand {

namespace {

SectionShape block_shape(std::size_t vectors, std::size_t planes) {
    return {(vectors + kBlockVectors - 1) / kBlockVectors, planes, kBlockVectors};
}

/// The scan relies on levels that are not above the biases they stand for.
void check_levels(const ContainerReader& reader, const PackedCodes& codes) {
    const auto levels = codes.parts().bias_levels;
    reader.check(std::all_of(levels.begin(), levels.end(), [](float level) { return std::isfinite(level); }),
                 "section bias_levels holds a number that is not finite");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::uint8_t level = codes.vector(i)[codes.code_planes() * kBlockVectors];
        reader.check(std::isfinite(codes.bias(i)) && levels[level] <= codes.bias(i) && levels[0] <= levels[level],
                     "the bias of row ", i, " does not fit its level");
    }
}

}  // namespace

void add_packed_codes(ContainerWriter& writer, const PackedCodes& codes) {
    const PackedCodes::Parts& parts = codes.parts();
    writer.metadata["codes"] = {{"vectors", parts.size},
                                {"dictionaries", parts.dictionaries},
                                {"words", parts.words},
                                {"model", hex(parts.model)}};
    writer.add("slots", Element::uint8, {codes.dictionaries(), codes.slot_count()}, parts.slots);
    writer.add("packed", Element::uint8, block_shape(codes.size(), codes.planes()), parts.blocks);
    if (!codes.has_bias()) return;
    writer.add("bias", Element::float32, {codes.size()}, parts.bias);
    writer.add("bias_levels", Element::float32, {kByteSlots}, parts.bias_levels);
}

std::shared_ptr<const PackedCodes> read_packed_codes(const ContainerReader& reader, const nlohmann::json& metadata,
                                                     std::span<const std::byte> file,
                                                     std::shared_ptr<const void> owner) {
    const Fields fields(reader, metadata, "codes");
    PackedCodes::Parts parts{.size = fields.count("vectors"),
                             .dictionaries = fields.count("dictionaries", 1, kMaxDictionaries),
                             .words = fields.count("words", 2, kMaxWords),
                             .model = fields.hash("model"),
                             .owner = std::move(owner)};
    const bool pairs = parts.words <= kNibbleSlots, bias = reader.has("bias");
    const std::size_t planes = (pairs ? (parts.dictionaries + 1) / 2 : parts.dictionaries) + (bias ? 1 : 0);
    parts.slots = in_place<std::uint8_t>(reader, file, "slots", Element::uint8,
                                         {parts.dictionaries, pairs ? kNibbleSlots : kByteSlots});
    parts.blocks = in_place<std::uint8_t>(reader, file, "packed", Element::uint8, block_shape(parts.size, planes));
    if (bias) {
        parts.bias = in_place<float>(reader, file, "bias", Element::float32, {parts.size});
        parts.bias_levels = in_place<float>(reader, file, "bias_levels", Element::float32, {kByteSlots});
    }
    auto codes = std::make_shared<const PackedCodes>(std::move(parts));
    if (bias) check_levels(reader, *codes);
    return codes;
}

}  // namespace summand
