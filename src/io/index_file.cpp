// An index file: the quantizer's sections, the codes' sections and the metric.
#include "io/codes_file.h"
#include "io/metadata.h"
#include "io/quantizer_file.h"
#include "summand/index.h"

namespace summand {

namespace {

/// Hands the container of an index to `finish` while what it borrows is alive.
template <class Finish>
auto with_container(const FlatIndex& index, const Finish& finish) {
    const Codes codes = index.codes();
    ContainerWriter writer(Kind::index);
    add_quantizer(writer, index.quantizer());
    add_codes(writer, codes, index.quantizer());
    writer.metadata["index"] = {{"metric", name(index.metric())}};
    return finish(writer);
}

Metric read_metric(const Fields& fields) {
    const std::string text = fields.text("metric");
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine})
        if (name(metric) == text) return metric;
    fields.reader().check(false, "metadata index.metric is '", text, "', expected euclidean, ip or cosine");
    return Metric::euclidean;
}

/// Codes and quantizer come from one file, and still may have been put together by another program.
void check_fit(const ContainerReader& reader, const Codes& codes, const Fields& fields, const Quantizer& quantizer) {
    const Dictionaries& words = quantizer.dictionaries;
    reader.check(codes.model == identity(quantizer), "the codes were made by model ", hex(codes.model),
                 ", the file holds model ", hex(identity(quantizer)));
    reader.check(codes.rows.columns() == words.count && fields.count("words") == words.words, "the codes are of ",
                 codes.rows.columns(), " dictionaries of ", fields.count("words"), " words, the model has ",
                 words.count, " of ", words.words);
    const std::size_t biases = quantizer.stores_bias ? codes.size() : 0;
    reader.check(codes.bias.size() == biases, "expected ", biases, " biases, got ", codes.bias.size());
}

FlatIndex load_from(const ByteSource& bytes, std::string_view file) {
    const ContainerReader reader(bytes, file);
    reader.expect(Kind::index, {"centre", "rotation", "blocks", "words", "word_offsets", "objective", "codes", "bias"});
    const nlohmann::json metadata = reader.metadata();
    Quantizer quantizer = read_quantizer(reader, metadata);
    const Codes codes = read_codes(reader, metadata);
    check_fit(reader, codes, Fields(reader, metadata, "codes"), quantizer);
    const Metric metric = read_metric(Fields(reader, metadata, "index"));
    return FlatIndex(std::move(quantizer), codes, metric);
}

}  // namespace

Bytes save(const FlatIndex& index) {
    return with_container(index, [](ContainerWriter& writer) { return writer.finish(); });
}

void save(const std::string& path, const FlatIndex& index) {
    with_container(index, [&](ContainerWriter& writer) { writer.finish(path); });
}

FlatIndex load_index(std::span<const std::byte> bytes, std::string_view name) {
    return load_from(MemoryBytes(bytes), name);
}

FlatIndex load_index(const std::string& path) { return load_from(InputFile(path), path); }

}  // namespace summand
