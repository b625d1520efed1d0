// Checkpoint files: a training between two iterations.
#include <algorithm>
#include <bit>
#include <cmath>

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "io/metadata.h"
#include "io/quantizer_file.h"

namespace summand {
namespace {

constexpr std::uint64_t kMostColumns = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;

void fill(ContainerWriter& writer, const Checkpoint& checkpoint) {
    const Dictionaries& words = checkpoint.dictionaries;
    const std::uint64_t M = words.count, K = words.words, D = words.dimensions(), N = checkpoint.codes.rows();
    writer.metadata["checkpoint"] = {{"task", hex(checkpoint.task)},
                                     {"step", checkpoint.step},
                                     {"dictionaries", M},
                                     {"words", K},
                                     {"dimensions", D},
                                     {"vectors", N},
                                     {"penalty", hex(std::bit_cast<std::uint64_t>(checkpoint.penalty))},
                                     {"epsilon", hex(std::bit_cast<std::uint64_t>(checkpoint.epsilon))},
                                     {"theta", hex(std::bit_cast<std::uint64_t>(checkpoint.theta))},
                                     {"expectation", hex(std::bit_cast<std::uint64_t>(checkpoint.expectation))},
                                     {"anchor_weight", hex(std::bit_cast<std::uint64_t>(checkpoint.anchor_weight))}};
    writer.add("translation", Element::float32, {D}, checkpoint.translation);
    writer.add("words", Element::float32, {M, K, D}, words.rows.values());
    writer.add("word_offsets", Element::float32, {M, K}, checkpoint.word_offsets);
    writer.add("codes", Element::uint8, {N, M}, checkpoint.codes.values());
    writer.add("objective", Element::float64, {checkpoint.objective.size()}, checkpoint.objective);
    if (!checkpoint.anchor.empty()) {
        writer.add("anchor", Element::float32, {M, K, D}, checkpoint.anchor.values());
        writer.add("anchor_offsets", Element::float64, {M, K}, checkpoint.anchor_offsets);
    }
    if (checkpoint.rotation.empty()) return;
    writer.add("rotation", Element::float32, {D, D}, checkpoint.rotation.values());
    add_blocks(writer, checkpoint.blocks, "block_words");
}

double read_double(const Fields& fields, const std::string& key) {
    const double value = std::bit_cast<double>(fields.hash(key));
    fields.reader().check(std::isfinite(value), "metadata checkpoint.", key, " is not finite");
    return value;
}

Checkpoint load_from(const ByteSource& bytes, std::string_view name) {
    const ContainerReader reader(bytes, name);
    reader.expect(Kind::checkpoint, {"translation", "words", "word_offsets", "codes", "objective", "anchor",
                                     "anchor_offsets", "rotation", "blocks", "block_words"});
    const nlohmann::json metadata = reader.metadata();
    const Fields fields(reader, metadata, "checkpoint");
    Checkpoint checkpoint;
    Dictionaries& words = checkpoint.dictionaries;
    words.count = fields.count("dictionaries", 1, kMaxDictionaries);
    words.words = fields.count("words", 2, kMaxWords);
    const std::uint64_t D = fields.count("dimensions", 1, kMostColumns), N = fields.count("vectors", 1, kMostRows);
    checkpoint.task = fields.hash("task");
    checkpoint.step = static_cast<int>(fields.count("step", 0, 1 << 20));
    checkpoint.penalty = read_double(fields, "penalty");
    checkpoint.epsilon = read_double(fields, "epsilon");
    checkpoint.theta = read_double(fields, "theta");
    checkpoint.expectation = read_double(fields, "expectation");
    checkpoint.anchor_weight = read_double(fields, "anchor_weight");
    checkpoint.translation = reader.values<float>("translation", Element::float32, {D});
    words.rows = {words.count * words.words, D,
                  reader.values<float>("words", Element::float32, {words.count, words.words, D})};
    checkpoint.word_offsets = reader.values<float>("word_offsets", Element::float32, {words.count, words.words});
    checkpoint.codes = {N, words.count, reader.values<std::uint8_t>("codes", Element::uint8, {N, words.count})};
    reader.check(std::all_of(checkpoint.codes.values().begin(), checkpoint.codes.values().end(),
                             [&](std::uint8_t code) { return code < words.words; }),
                 "a code names a word beyond the ", words.words, " of its dictionary");
    checkpoint.objective =
        reader.values<double>("objective", Element::float64, {static_cast<std::uint64_t>(checkpoint.step)});
    if (reader.has("anchor")) {
        checkpoint.anchor = {words.count * words.words, D,
                             reader.values<float>("anchor", Element::float32, {words.count, words.words, D})};
        checkpoint.anchor_offsets =
            reader.values<double>("anchor_offsets", Element::float64, {words.count, words.words});
    }
    if (reader.has("rotation")) {
        checkpoint.rotation = {D, D, reader.values<float>("rotation", Element::float32, {D, D})};
        checkpoint.blocks = read_blocks(reader, words.count, words.words, D, "block_words");
    }
    return checkpoint;
}

}  // namespace

Bytes save(const Checkpoint& checkpoint) {
    ContainerWriter writer(Kind::checkpoint);
    fill(writer, checkpoint);
    return writer.finish();
}

void save(const std::string& path, const Checkpoint& checkpoint) {
    ContainerWriter writer(Kind::checkpoint);
    fill(writer, checkpoint);
    writer.finish(path);
}

Checkpoint load_checkpoint(std::span<const std::byte> bytes, std::string_view name) {
    return load_from(MemoryBytes(bytes), name);
}

Checkpoint load_checkpoint(const std::string& path) { return load_from(InputFile(path), path); }

}  // namespace summand
