// Vocabularies of local descriptors in the container.
#include <algorithm>

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "io/metadata.h"
#include "summand/aggregate.h"

namespace summand {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 20;  // of words and of dimensions; products then fit 64 bits

void fill(ContainerWriter& writer, const Vocabulary& vocabulary) {
    const std::uint64_t K = vocabulary.centres.rows(), D = vocabulary.centres.columns(), all = vocabulary.mean.size();
    const bool fisher = vocabulary.kind == Aggregation::fisher, projects = !vocabulary.projection.empty();
    require(K >= 1 && D >= 1 && all >= 1, "save: expected a vocabulary of at least one word");
    require(vocabulary.projection.size() == (projects ? D * all : 0) && (projects || D == all) &&
                vocabulary.variances.size() == (fisher ? K * D : 0) && vocabulary.weights.size() == (fisher ? K : 0),
            "save: the parts of the vocabulary do not fit its ", K, "×", D, " centres");
    writer.metadata["vocabulary"] = {{"kind", name(vocabulary.kind)},
                                     {"words", K},
                                     {"dimensions", D},
                                     {"descriptor_dimensions", all},
                                     {"iterations", vocabulary.objective.size()}};
    writer.add("mean", Element::float32, {all}, vocabulary.mean);
    if (projects) writer.add("projection", Element::float32, {D, all}, vocabulary.projection.values());
    writer.add("centres", Element::float32, {K, D}, vocabulary.centres.values());
    if (fisher) {
        writer.add("variances", Element::float32, {K, D}, vocabulary.variances.values());
        writer.add("weights", Element::float32, {K}, vocabulary.weights);
    }
    writer.add("objective", Element::float64, {vocabulary.objective.size()}, vocabulary.objective);
}

Aggregation read_kind(const Fields& fields) {
    const std::string text = fields.text("kind");
    fields.reader().check(text == "vlad" || text == "fisher", "metadata vocabulary.kind is '", text,
                          "', expected vlad or fisher");
    return parse_aggregation(text);
}

void read_gaussians(const ContainerReader& reader, Vocabulary& vocabulary) {
    const std::uint64_t K = vocabulary.centres.rows(), D = vocabulary.centres.columns();
    vocabulary.variances = {K, D, reader.values<float>("variances", Element::float32, {K, D})};
    vocabulary.weights = reader.values<float>("weights", Element::float32, {K});
    const auto positive = [](float value) { return value > 0; };
    const auto& variances = vocabulary.variances.values();
    reader.check(std::all_of(variances.begin(), variances.end(), positive) &&
                     std::all_of(vocabulary.weights.begin(), vocabulary.weights.end(), positive),
                 "variances and weights are not all above zero");
}

Vocabulary load_from(const ByteSource& bytes, std::string_view name) {
    const ContainerReader reader(bytes, name);
    reader.expect(Kind::vocabulary, {"mean", "projection", "centres", "variances", "weights", "objective"});
    const nlohmann::json metadata = reader.metadata();
    const Fields fields(reader, metadata, "vocabulary");
    const std::uint64_t K = fields.count("words", 1, kMost), D = fields.count("dimensions", 1, kMost);
    const std::uint64_t all = fields.count("descriptor_dimensions", D, kMost);
    Vocabulary vocabulary{.kind = read_kind(fields), .mean = reader.values<float>("mean", Element::float32, {all})};
    if (reader.has("projection"))
        vocabulary.projection = {D, all, reader.values<float>("projection", Element::float32, {D, all})};
    reader.check(D == all || reader.has("projection"), "has no section projection for ", all, " dimensions to become ",
                 D);
    vocabulary.centres = {K, D, reader.values<float>("centres", Element::float32, {K, D})};
    if (vocabulary.kind == Aggregation::fisher) read_gaussians(reader, vocabulary);
    vocabulary.objective = reader.values<double>("objective", Element::float64, {fields.count("iterations", 0, kMost)});
    return vocabulary;
}

}  // namespace

Bytes save(const Vocabulary& vocabulary) {
    ContainerWriter writer(Kind::vocabulary);
    fill(writer, vocabulary);
    return writer.finish();
}

void save(const std::string& path, const Vocabulary& vocabulary) {
    ContainerWriter writer(Kind::vocabulary);
    fill(writer, vocabulary);
    writer.finish(path);
}

Vocabulary load_vocabulary(std::span<const std::byte> bytes, std::string_view name) {
    return load_from(MemoryBytes(bytes), name);
}

Vocabulary load_vocabulary(const std::string& path) { return load_from(InputFile(path), path); }

}  // namespace summand
