// An index file: the quantizer's sections, the packed codes and the metric. From a path it is mapped, so that an index
// larger than memory can be searched and processes share its pages.
#include "index/index_parts.h"
#include "io/codes_file.h"
#include "io/index_sections.h"
#include "io/metadata.h"
#include "io/packed_codes_file.h"
#include "io/quantizer_file.h"
#include "summand/flat_index.h"

namespace summand {

// Codes whose bias is derived go in row order, without it: packed ones hold its levels.
void with_container(const FlatIndex& index, const FinishContainer& finish) {
    ContainerWriter writer(Kind::index);
    add_quantizer(writer, index.quantizer());
    const bool derived = index.quantizer().bias == Bias::derived && IndexParts::packed(index)->has_bias();
    const Codes rows = derived ? index.codes() : Codes();
    if (derived)
        add_codes(writer, rows, index.quantizer());
    else
        add_packed_codes(writer, *IndexParts::packed(index));
    writer.metadata["index"] = {{"metric", name(index.metric())}};
    finish(writer);
}

namespace {

/// Codes and quantizer come from one file, and still may have been put together by another program.
void check_fit(const ContainerReader& reader, const Fields& codes, const Quantizer& quantizer, Metric metric) {
    const Dictionaries& words = quantizer.dictionaries;
    reader.check(codes.hash("model") == identity(quantizer), "the codes were made by model ", hex(codes.hash("model")),
                 ", the file holds model ", hex(identity(quantizer)));
    reader.check(codes.count("dictionaries") == words.count && codes.count("words") == words.words, "the codes are of ",
                 codes.count("dictionaries"), " dictionaries of ", codes.count("words"), " words, the model has ",
                 words.count, " of ", words.words);
    const bool biased = quantizer.bias == Bias::stored && (is_distance(metric) || reader.has("codes"));
    reader.check(quantizer.bias != Bias::derived || !is_distance(metric) || reader.has("codes"),
                 "the codes are packed without the bias that the model derives, expected them in row order");
    reader.check(
        reader.has("bias") == biased, "the codes ",
        biased ? "lack the biases that the model stores" : "have biases that this model and metric do not use");
}

}  // namespace

FlatIndex read_flat_index(const IndexFile& file) {
    const ContainerReader& reader = file.reader;
    const nlohmann::json& metadata = file.metadata;
    reader.expect(Kind::index, {"centre", "rotation", "blocks", "words", "word_offsets", "objective", "codes", "slots",
                                "packed", "packed_tops", "bias", "bias_levels", "piece_sums", "refine_model",
                                "refine_codes", "refine_sample", "refine_rows", "refine_ranges", "user_ids"});
    Quantizer quantizer = read_quantizer(reader, metadata);
    const Metric metric = read_metric(Fields(reader, metadata, "index"));
    check_fit(reader, Fields(reader, metadata, "codes"), quantizer, metric);
    if (reader.has("codes")) return FlatIndex(std::move(quantizer), read_codes(reader, metadata), metric);
    return IndexParts::flat(std::move(quantizer), read_packed_codes(file, IdsBeside::none).codes, metric);
}

}  // namespace summand
