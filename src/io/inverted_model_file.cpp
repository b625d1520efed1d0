#include "io/inverted_model_file.h"

#include "io/metadata.h"
#include "io/quantizer_file.h"
#include "model/valid.h"
#include "summand/io.h"

namespace summand {

namespace {

void add_cells(ContainerWriter& writer, const InvertedModel& model) {
    require_valid(model.partition, "save");
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
        reader.check(valid_groups(partition.group_begin, groups, words.words),
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

void add_inverted_model(ContainerWriter& writer, const InvertedModel& model) {
    add_quantizer(writer, model.quantizer);
    add_cells(writer, model);
    writer.metadata["index"] = {{"metric", name(model.metric)}};
}

InvertedModel read_inverted_model(const ContainerReader& reader, const nlohmann::json& metadata) {
    const Fields fields(reader, metadata, "cells");
    InvertedModel model;
    model.quantizer = read_quantizer(reader, metadata);
    model.coding = read_coding(fields);
    model.metric = read_metric(Fields(reader, metadata, "index"));
    model.partition = read_cells(reader, fields, model.quantizer.dimensions());
    return model;
}

Bytes save(const InvertedModel& model) {
    ContainerWriter writer(Kind::inverted_model);
    add_inverted_model(writer, model);
    return writer.finish();
}

void save(const std::string& path, const InvertedModel& model) {
    ContainerWriter writer(Kind::inverted_model);
    add_inverted_model(writer, model);
    writer.finish(path);
}

namespace {

InvertedModel load_model(const ByteSource& bytes, std::string_view name) {
    const ContainerReader reader(bytes, name);
    reader.expect(Kind::inverted_model, {"centre", "rotation", "blocks", "words", "word_offsets", "objective",
                                         "cell_words", "cell_offsets", "cell_groups", "cell_group_begin"});
    return read_inverted_model(reader, reader.metadata());
}

}  // namespace

InvertedModel load_inverted_model(std::span<const std::byte> bytes, std::string_view name) {
    return load_model(MemoryBytes(bytes), name);
}

InvertedModel load_inverted_model(const std::string& path) { return load_model(InputFile(path), path); }

}  // namespace summand
