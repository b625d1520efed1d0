// The file of an inverted index: the quantizer's sections, the cells, the lists and the packed codes. From a path,
// codes and ids are mapped and used in place.
#include "index/index_parts.h"
#include "io/in_place.h"
#include "io/index_sections.h"
#include "io/inverted_model_file.h"
#include "io/metadata.h"
#include "io/packed_codes_file.h"
#include "summand/inverted_index.h"

namespace summand {

void with_container(const InvertedIndex& index, const FinishContainer& finish) {
    ContainerWriter writer(Kind::inverted);
    const InvertedLists::Parts& lists = IndexParts::lists(index)->parts();
    add_inverted_model(writer, index.model());
    writer.add("lists", Element::uint64, {lists.begin.size()}, lists.begin);
    writer.add("ids", Element::uint64, {lists.ids.size()}, lists.ids);
    add_packed_codes(writer, *lists.packed, lists.ids);
    finish(writer);
}

InvertedIndex read_inverted_index(const IndexFile& file) {
    const ContainerReader& reader = file.reader;
    const nlohmann::json& metadata = file.metadata;
    reader.expect(Kind::inverted, {"centre",        "rotation",    "blocks",        "words",        "word_offsets",
                                   "objective",     "cell_words",  "cell_offsets",  "cell_groups",  "cell_group_begin",
                                   "lists",         "ids",         "slots",         "packed",       "packed_tops",
                                   "bias",          "bias_levels", "piece_sums",    "refine_model", "refine_codes",
                                   "refine_sample", "refine_rows", "refine_ranges", "user_ids"});
    InvertedModel model = read_inverted_model(reader, metadata);
    const bool named = Fields(reader, metadata, "index").has("next_id");  // users call them otherwise
    PackedSections packed = read_packed_codes(file, named ? IdsBeside::rows : IdsBeside::any);
    InvertedLists::Parts lists{.packed = std::move(packed.codes), .ids = packed.ids, .owner = file.owner};
    lists.begin = in_place<std::uint64_t>(reader, file.bytes, "lists", Element::uint64, {model.partition.cells() + 1});
    return file.named([&] {
        return IndexParts::inverted(std::move(model), std::make_shared<const InvertedLists>(std::move(lists)));
    });
}

}  // namespace summand
