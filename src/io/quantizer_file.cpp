#include "io/quantizer_file.h"

#include <algorithm>
#include <bit>

#include "io/metadata.h"
#include "model/valid.h"

namespace summand {

namespace {

/// The columns of every word that lie in its dictionary's block, one dictionary after the other.
std::vector<float> block_columns(const Dictionaries& words) {
    std::vector<float> columns;
    columns.reserve(words.words * words.dimensions());
    const auto is_zero = [](float value) { return std::bit_cast<std::uint32_t>(value) == 0; };
    for (std::size_t m = 0; m < words.count; ++m)
        for (std::size_t k = 0; k < words.words; ++k) {
            const float* word = words.word(m, k);
            const float* begin = word + words.block_begin[m];
            const float* end = word + words.block_begin[m + 1];
            require(std::all_of(word, begin, is_zero) && std::all_of(end, word + words.dimensions(), is_zero),
                    "save: word ", k, " of dictionary ", m, " is not zero outside its block");
            columns.insert(columns.end(), begin, end);
        }
    return columns;
}

Matrix<float> rows_of_blocks(const Dictionaries& words, const std::vector<float>& columns, std::size_t dimensions) {
    Matrix<float> rows(words.count * words.words, dimensions);
    const float* next = columns.data();
    for (std::size_t m = 0; m < words.count; ++m) {
        const std::size_t width = words.block_begin[m + 1] - words.block_begin[m];
        for (std::size_t k = 0; k < words.words; ++k, next += width)
            std::copy_n(next, width, rows.row(m * words.words + k) + words.block_begin[m]);
    }
    return rows;
}

// Fields that most models do not have are written only if they differ from the default, so that the files of most
// models keep their bytes.
nlohmann::json metadata_of(const Quantizer& q) {
    const std::optional<double>& held_out = q.training.held_out_distortion;
    nlohmann::json fields = {{"method", q.method},
                             {"dictionaries", q.dictionaries.count},
                             {"words", q.dictionaries.words},
                             {"dimensions", q.dimensions()},
                             {"unit_length", q.unit_length},
                             {"stores_bias", q.bias == Bias::stored},
                             {"penalty", q.encoder.penalty},
                             {"theta", q.encoder.theta},
                             {"effort", name(q.encoder.effort)},
                             {"trained_on", q.training.vectors},
                             {"distortion", q.training.distortion},
                             {"held_out_distortion", held_out ? nlohmann::json(*held_out) : nlohmann::json()},
                             {"cross_term_deviation", q.training.cross_term_deviation},
                             {"iterations", q.training.objective.size()},
                             {"identity", hex(identity(q))}};
    if (q.encoder.expectation != 1) fields["expectation"] = q.encoder.expectation;
    if (q.encoder.absolute_penalty != 0) fields["absolute_penalty"] = q.encoder.absolute_penalty;
    if (q.encoder.norm != 1) fields["norm"] = q.encoder.norm;
    if (q.encoder.search != CodeSearch::modes) fields["search"] = name(q.encoder.search);
    if (q.bias == Bias::derived) fields["derives_bias"] = true;
    if (q.binary_queries) fields["binary_queries"] = true;
    return fields;
}

Bias read_bias(const Fields& fields) {
    const bool stored = fields.flag("stores_bias"), derived = fields.has("derives_bias") && fields.flag("derives_bias");
    fields.reader().check(!stored || !derived, "metadata says that the model's bias is both stored and derived");
    return stored ? Bias::stored : derived ? Bias::derived : Bias::none;
}

CodeSearch read_search(const Fields& fields) {
    if (!fields.has("search")) return CodeSearch::modes;
    const std::string text = fields.text("search");
    for (const CodeSearch search : {CodeSearch::beam, CodeSearch::residual, CodeSearch::tree})
        if (name(search) == text) return search;
    fields.reader().check(false, "metadata model.search is '", text, "', expected beam, residual or tree");
    return CodeSearch::modes;
}

Effort read_effort(const Fields& fields) {
    const std::string text = fields.text("effort");
    for (const Effort effort : {Effort::fast, Effort::standard, Effort::best})
        if (name(effort) == text) return effort;
    fields.reader().check(false, "metadata model.effort is '", text, "', expected fast, default or best");
    return Effort::standard;
}

Dictionaries read_dictionaries(const Fields& fields, std::uint64_t dimensions) {
    const ContainerReader& reader = fields.reader();
    Dictionaries words;
    words.count = fields.count("dictionaries", 1, kMaxDictionaries);
    words.words = fields.count("words", 2, kMaxWords);
    if (!reader.has("blocks")) {
        const SectionShape shape{words.count, words.words, dimensions};
        words.rows = {words.count * words.words, dimensions, reader.values<float>("words", Element::float32, shape)};
        return words;
    }
    return read_blocks(reader, words.count, words.words, dimensions, "words");
}

TrainingSummary read_training(const Fields& fields) {
    TrainingSummary training;
    training.vectors = fields.count("trained_on");
    training.distortion = fields.figure("distortion");
    training.held_out_distortion = fields.measured("held_out_distortion");
    training.cross_term_deviation = fields.figure("cross_term_deviation");
    training.objective = fields.reader().values<double>("objective", Element::float64, {fields.count("iterations")});
    return training;
}

}  // namespace

void add_blocks(ContainerWriter& writer, const Dictionaries& words, const std::string& section) {
    writer.add("blocks", Element::uint64, {words.count + 1},
               std::vector<std::uint64_t>(words.block_begin.begin(), words.block_begin.end()));
    writer.add(section, Element::float32, {words.words, words.dimensions()}, block_columns(words));
}

Dictionaries read_blocks(const ContainerReader& reader, std::size_t count, std::size_t words, std::size_t dimensions,
                         const std::string& section) {
    Dictionaries result{.count = count, .words = words};
    const auto begin = reader.values<std::uint64_t>("blocks", Element::uint64, {count + 1});
    result.block_begin.assign(begin.begin(), begin.end());
    reader.check(valid_blocks(result.block_begin, count, dimensions), "the blocks do not cover all ", dimensions,
                 " dimensions in order");
    result.rows =
        rows_of_blocks(result, reader.values<float>(section, Element::float32, {words, dimensions}), dimensions);
    return result;
}

void add_quantizer(ContainerWriter& writer, const Quantizer& quantizer) {
    require_valid(quantizer, "save");
    const Dictionaries& words = quantizer.dictionaries;
    const std::uint64_t M = words.count, K = words.words, D = quantizer.dimensions();
    writer.metadata["model"] = metadata_of(quantizer);
    writer.add("centre", Element::float32, {D}, quantizer.centre);
    if (!quantizer.rotation.empty()) writer.add("rotation", Element::float32, {D, D}, quantizer.rotation.values());
    if (words.blocks())
        add_blocks(writer, words, "words");
    else
        writer.add("words", Element::float32, {M, K, D}, words.rows.values());
    writer.add("word_offsets", Element::float32, {M, K}, quantizer.word_offsets);
    writer.add("objective", Element::float64, {quantizer.training.objective.size()}, quantizer.training.objective);
}

Quantizer read_quantizer(const ContainerReader& reader, const nlohmann::json& metadata) {
    const Fields fields(reader, metadata, "model");
    const std::uint64_t D = fields.count("dimensions", 1, kMostColumns);
    Quantizer quantizer;
    quantizer.method = fields.text("method");
    quantizer.unit_length = fields.flag("unit_length");
    quantizer.bias = read_bias(fields);
    quantizer.binary_queries = fields.has("binary_queries") && fields.flag("binary_queries");
    quantizer.centre = reader.values<float>("centre", Element::float32, {D});
    if (reader.has("rotation"))
        quantizer.rotation = Matrix<float>(D, D, reader.values<float>("rotation", Element::float32, {D, D}));
    quantizer.dictionaries = read_dictionaries(fields, D);
    const std::uint64_t M = quantizer.dictionaries.count, K = quantizer.dictionaries.words;
    quantizer.word_offsets = reader.values<float>("word_offsets", Element::float32, {M, K});
    quantizer.encoder = {.penalty = fields.number("penalty"),
                         .theta = fields.number("theta"),
                         .expectation = fields.number("expectation", 1),
                         .absolute_penalty = fields.number("absolute_penalty", 0),
                         .norm = fields.number("norm", 1),
                         .effort = read_effort(fields),
                         .search = read_search(fields)};
    quantizer.training = read_training(fields);
    reader.check(fields.hash("identity") == identity(quantizer), "the model's identity is ", hex(identity(quantizer)),
                 ", the file says ", fields.text("identity"));
    return quantizer;
}

Bytes save(const Quantizer& quantizer) {
    ContainerWriter writer(Kind::model);
    add_quantizer(writer, quantizer);
    return writer.finish();
}

void save(const std::string& path, const Quantizer& quantizer) {
    ContainerWriter writer(Kind::model);
    add_quantizer(writer, quantizer);
    writer.finish(path);
}

namespace {

Quantizer load_model(const ByteSource& bytes, std::string_view name) {
    const ContainerReader reader(bytes, name);
    reader.expect(Kind::model, {"centre", "rotation", "blocks", "words", "word_offsets", "objective"});
    return read_quantizer(reader, reader.metadata());
}

}  // namespace

Quantizer load_quantizer(std::span<const std::byte> bytes, std::string_view name) {
    return load_model(MemoryBytes(bytes), name);
}

Quantizer load_quantizer(const std::string& path) { return load_model(InputFile(path), path); }

}  // namespace summand
