// An index file: the quantizer's sections, the packed codes and the metric. From a path it is mapped, so that an index
// larger than memory can be searched and processes share its pages.
#include <cstring>

#include "base/aligned.h"
#include "io/codes_file.h"
#include "io/mapped_file.h"
#include "io/metadata.h"
#include "io/packed_codes_file.h"
#include "io/quantizer_file.h"
#include "summand/index.h"

namespace summand {

namespace {

/// Hands the container of an index to `finish` while what it borrows is alive. Codes whose bias is derived go in row
/// order, without it: packed ones hold its levels.
template <class Finish>
auto with_container(const FlatIndex& index, const Finish& finish) {
    ContainerWriter writer(Kind::index);
    add_quantizer(writer, index.quantizer());
    const bool derived = index.quantizer().bias == Bias::derived && index.packed()->has_bias();
    const Codes rows = derived ? index.codes() : Codes();
    if (derived)
        add_codes(writer, rows, index.quantizer());
    else
        add_packed_codes(writer, *index.packed());
    writer.metadata["index"] = {{"metric", name(index.metric())}};
    return finish(writer);
}

/// Codes and quantizer come from one file, and still may have been put together by another program.
void check_fit(const ContainerReader& reader, const Fields& codes, const Quantizer& quantizer, Metric metric) {
    const Dictionaries& words = quantizer.dictionaries;
    reader.check(codes.hash("model") == identity(quantizer), "the codes were made by model ", hex(codes.hash("model")),
                 ", the file holds model ", hex(identity(quantizer)));
    reader.check(codes.count("dictionaries") == words.count && codes.count("words") == words.words, "the codes are of ",
                 codes.count("dictionaries"), " dictionaries of ", codes.count("words"), " words, the model has ",
                 words.count, " of ", words.words);
    const bool biased = quantizer.bias == Bias::stored && (metric == Metric::euclidean || reader.has("codes"));
    reader.check(quantizer.bias != Bias::derived || metric != Metric::euclidean || reader.has("codes"),
                 "the codes are packed without the bias that the model derives, expected them in row order");
    reader.check(
        reader.has("bias") == biased, "the codes ",
        biased ? "lack the biases that the model stores" : "have biases that this model and metric do not use");
}

/// `file` is aligned to 64 bytes and kept by `owner`.
FlatIndex load_from(std::span<const std::byte> file, std::shared_ptr<const void> owner, std::string_view name) {
    const MemoryBytes bytes(file);
    const ContainerReader reader(bytes, name);
    reader.expect(Kind::index, {"centre", "rotation", "blocks", "words", "word_offsets", "objective", "codes", "slots",
                                "packed", "bias", "bias_levels"});
    const nlohmann::json metadata = reader.metadata();
    Quantizer quantizer = read_quantizer(reader, metadata);
    const Metric metric = read_metric(Fields(reader, metadata, "index"));
    check_fit(reader, Fields(reader, metadata, "codes"), quantizer, metric);
    if (reader.has("codes")) return FlatIndex(std::move(quantizer), read_codes(reader, metadata), metric);
    return FlatIndex(std::move(quantizer), read_packed_codes(reader, metadata, file, std::move(owner)), metric);
}

}  // namespace

Bytes save(const FlatIndex& index) {
    return with_container(index, [](ContainerWriter& writer) { return writer.finish(); });
}

void save(const std::string& path, const FlatIndex& index) {
    with_container(index, [&](ContainerWriter& writer) { writer.finish(path); });
}

FlatIndex load_index(std::span<const std::byte> bytes, std::string_view name) {
    auto copy = std::make_shared<AlignedBuffer<std::byte>>(bytes.size());
    if (!bytes.empty()) std::memcpy(copy->data(), bytes.data(), bytes.size());
    return load_from({copy->data(), copy->size()}, copy, name);
}

FlatIndex load_index(const std::string& path) {
    auto file = std::make_shared<MappedFile>(path);
    return load_from(file->bytes(), file, path);
}

}  // namespace summand
