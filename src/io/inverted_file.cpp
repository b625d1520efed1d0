// The file of an inverted index: the quantizer's sections, the cells, the lists and the packed codes. From a path,
// codes and ids are mapped and used in place.
#include <algorithm>

#include "index/inverted_lists.h"
#include "io/in_place.h"
#include "io/index_sections.h"
#include "io/metadata.h"
#include "io/packed_codes_file.h"
#include "io/quantizer_file.h"
#include "summand/inverted.h"

namespace summand {

namespace {

void add_cells(ContainerWriter& writer, const InvertedModel& model) {
    const Dictionaries& words = model.partition.dictionaries;
    writer.add("cell_words", Element::float32, {words.count, words.words, words.dimensions()}, words.rows.values());
    writer.add("cell_offsets", Element::float32, {words.count, words.words}, model.partition.word_offsets);
    const Matrix<float>& groups = model.partition.groups;
    if (!groups.empty()) {
        writer.add("cell_groups", Element::float32, {groups.rows(), groups.columns()}, groups.values());
        writer.add("cell_group_begin", Element::uint64, {groups.rows() + 1}, model.partition.group_begin);
    }
    writer.metadata["cells"] = {{"dictionaries", words.count},
                                {"words", words.words},
                                {"groups", groups.rows()},
                                {"orthogonal", model.partition.orthogonal},
                                {"coding", name(model.coding)}};
}

Partition read_cells(const ContainerReader& reader, const Fields& fields, std::size_t dimensions) {
    Partition partition;
    Dictionaries& words = partition.dictionaries;
    words.count = fields.count("dictionaries", 1, 2);
    words.words = fields.count("words", 1, words.count == 1 ? kMaxCellWords : kMaxPairedCellWords);
    partition.orthogonal = fields.flag("orthogonal");
    words.rows = {words.count * words.words, dimensions,
                  reader.values<float>("cell_words", Element::float32, {words.count, words.words, dimensions})};
    partition.word_offsets = reader.values<float>("cell_offsets", Element::float32, {words.count, words.words});
    if (const std::uint64_t groups = fields.count("groups", 0, words.count == 1 ? words.words : 0); groups > 0) {
        partition.groups = {groups, dimensions,
                            reader.values<float>("cell_groups", Element::float32, {groups, dimensions})};
        partition.group_begin = reader.values<std::uint64_t>("cell_group_begin", Element::uint64, {groups + 1});
        const auto& begin = partition.group_begin;
        reader.check(begin.front() == 0 && begin.back() == words.words && std::is_sorted(begin.begin(), begin.end()),
                     "section cell_group_begin does not divide ", words.words, " cells");
    }
    return partition;
}

Coding read_coding(const Fields& fields) {
    const std::string text = fields.text("coding");
    for (const Coding coding : {Coding::residual, Coding::plain})
        if (name(coding) == text) return coding;
    fields.reader().check(false, "metadata cells.coding is '", text, "', expected residual or plain");
    return Coding::residual;
}

}  // namespace

void with_container(const InvertedIndex& index, const FinishContainer& finish) {
    ContainerWriter writer(Kind::inverted);
    const InvertedLists::Parts& lists = index.lists()->parts();
    add_quantizer(writer, index.model().quantizer);
    add_cells(writer, index.model());
    writer.add("lists", Element::uint64, {lists.begin.size()}, lists.begin);
    writer.add("ids", Element::uint64, {lists.ids.size()}, lists.ids);
    add_packed_codes(writer, *lists.packed);
    writer.metadata["index"] = {{"metric", name(index.model().metric)}};
    finish(writer);
}

InvertedIndex read_inverted_index(const IndexFile& file) {
    const ContainerReader& reader = file.reader;
    const nlohmann::json& metadata = file.metadata;
    reader.expect(Kind::inverted, {"centre", "rotation", "blocks", "words", "word_offsets", "objective", "cell_words",
                                   "cell_offsets", "cell_groups", "cell_group_begin", "lists", "ids", "slots", "packed",
                                   "bias", "bias_levels", "refine_model", "refine_codes", "refine_sample"});
    const Fields fields(reader, metadata, "cells");
    InvertedModel model;
    model.quantizer = read_quantizer(reader, metadata);
    model.coding = read_coding(fields);
    model.metric = read_metric(Fields(reader, metadata, "index"));
    model.partition = read_cells(reader, fields, model.quantizer.dimensions());
    InvertedLists::Parts lists{.packed = read_packed_codes(reader, metadata, file.bytes, file.owner),
                               .owner = file.owner};
    lists.begin = in_place<std::uint64_t>(reader, file.bytes, "lists", Element::uint64, {model.partition.cells() + 1});
    lists.ids = in_place<std::uint64_t>(reader, file.bytes, "ids", Element::uint64, {lists.packed->size()});
    return file.named(
        [&] { return InvertedIndex(std::move(model), std::make_shared<const InvertedLists>(std::move(lists))); });
}

Bytes save(const InvertedIndex& index) { return save(AnyIndex(index)); }
void save(const std::string& path, const InvertedIndex& index) { save(path, AnyIndex(index)); }

InvertedIndex load_inverted_index(std::span<const std::byte> bytes, std::string_view name) {
    return load_plain(copied(bytes), name, read_inverted_index);
}

InvertedIndex load_inverted_index(const std::string& path) {
    return load_plain(mapped(path), path, read_inverted_index);
}

}  // namespace summand
