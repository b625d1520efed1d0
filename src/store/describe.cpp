#include "summand/describe.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "summand/aggregate.h"
#include "summand/error.h"
#include "summand/io.h"
#include "summand/living_index.h"
#include "summand/unfinished_index.h"

namespace summand {
namespace {

using Json = nlohmann::ordered_json;

std::string hexadecimal(std::uint64_t value) {
    std::string text(16, '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4)
        *digit = "0123456789abcdef"[value & 15];
    return text;
}

Json value_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string_view bias_name(Bias bias) {
    return bias == Bias::stored ? "stored" : bias == Bias::derived ? "derived" : "none";
}

std::size_t nonzeros(const Dictionaries& dictionaries) {
    const auto& values = dictionaries.rows.values();
    return values.size() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0f));
}

Json json_of(const Quantizer& model) {
    const Dictionaries& dictionaries = model.dictionaries;
    const TrainingSummary& training = model.training;
    Json object{{"method", model.method},
                {"dictionaries", dictionaries.count},
                {"words", dictionaries.words},
                {"dimensions", model.dimensions()},
                {"code_bytes", model.code_bytes()},
                {"structure", dictionaries.blocks() ? "blocks" : "dense"},
                {"nonzeros", nonzeros(dictionaries)},
                {"bias", bias_name(model.bias)},
                {"rotation", model.rotation.empty() ? "none" : "learnt"},
                {"unit_length", model.unit_length},
                {"search", dictionaries.blocks() ? "blocks" : name(model.encoder.search)},
                {"effort", name(model.encoder.effort)},
                {"identity", hexadecimal(identity(model))},
                {"learn_vectors", training.vectors},
                {"distortion", training.distortion},
                {"held_out_distortion", value_of(training.held_out_distortion)}};
    const bool offsets = model.encoder.norm != 0;  // else there is no cross term for them to stand for
    if (offsets && training.cross_term_deviation > 0 && training.distortion > 0)
        object["cross_term_spread"] = training.cross_term_deviation / training.distortion;
    if (model.binary_queries) object["queries"] = "signs";
    object["iterations"] = training.objective.size();
    return object;
}

void describe_cells(const InvertedModel& model, Json& object) {
    object["cells"] = model.partition.cells();
    object["cell_dictionaries"] = model.partition.dictionaries.count;
    object["coding"] = name(model.coding);
}

void describe_lists(const InvertedIndex& index, Json& object) {
    describe_cells(index.model(), object);
    const std::vector<std::size_t> sizes = index.list_sizes();
    object["empty_lists"] = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), std::size_t{0}));
    object["longest_list"] = *std::max_element(sizes.begin(), sizes.end());
    object["cell_table_bytes"] = index.cell_table_bytes();
}

Json json_of(const Refinement& refinement) {
    if (const auto* codes = std::get_if<RefineCodes>(&refinement))
        return {{"with", "codes"}, {"model", json_of(codes->quantizer)}};
    if (const auto* rows = std::get_if<RefineRows>(&refinement))
        return {{"with", "rows"}, {"format", name(rows->format)}, {"bytes", rows->rows.size()}};
    const auto& file = std::get<RefineFile>(refinement);
    return {{"with", "file"}, {"path", file.path}, {"vectors", file.rows}};
}

Json json_of(const SearchParameters& defaults) {
    Json object = Json::object();
    if (defaults.probes > 0) object["probes"] = defaults.probes;
    if (defaults.reach > 0) object["reach"] = defaults.reach;
    if (defaults.candidates > 0) object["candidates"] = defaults.candidates;
    if (defaults.refine) object["refine"] = *defaults.refine;
    return object;
}

void describe_index(const Index& index, Json& object) {
    object["vectors"] = index.size();
    object["metric"] = name(index.metric());
    if (index.inverted()) describe_lists(*index.inverted(), object);
    object["memory_bytes"] = index.memory_bytes();
    if (index.defaults() != SearchParameters()) object["search"] = json_of(index.defaults());
    object["model"] = json_of(index.quantizer());
    if (index.refinement()) object["refine"] = json_of(*index.refinement());
}

Json describe_sections(const ContainerInfo& info) {
    Json sections = Json::array();
    for (const auto& section : info.sections)
        sections.push_back(
            {{"name", section.name}, {"type", section.type}, {"shape", section.shape}, {"bytes", section.bytes}});
    return sections;
}

Json describe_container(const std::string& path, const ContainerInfo& info) {
    Json object{
        {"file", path}, {"kind", info.kind}, {"version", info.version}, {"bytes", std::filesystem::file_size(path)}};
    if (info.kind == "model") {
        object["model"] = json_of(load_quantizer(path));
    } else if (info.kind == "inverted model") {
        const InvertedModel model = load_inverted_model(path);
        object["metric"] = name(model.metric);
        describe_cells(model, object);
        object["model"] = json_of(model.quantizer);
    } else if (info.kind == "codes") {
        const Codes codes = load_codes(path);
        object["vectors"] = codes.size();
        object["dictionaries"] = codes.rows.columns();
        object["model_identity"] = hexadecimal(codes.model);
    } else if (info.kind == "checkpoint") {
        const Checkpoint checkpoint = load_checkpoint(path);
        object["iterations"] = checkpoint.step;
        object["learn_vectors"] = checkpoint.codes.rows();
        object["dictionaries"] = checkpoint.dictionaries.count;
        object["words"] = checkpoint.dictionaries.words;
        object["dimensions"] = checkpoint.dictionaries.dimensions();
    } else if (info.kind == "vocabulary") {
        const Vocabulary vocabulary = load_vocabulary(path);
        object["aggregation"] = name(vocabulary.kind);
        object["words"] = vocabulary.centres.rows();
        object["descriptor_dimensions"] = vocabulary.descriptor_dimensions();
        object["dimensions"] = vocabulary.dimensions();
    } else {
        describe_index(Index::open(path), object);
    }
    object["sections"] = describe_sections(info);
    return object;
}

Json describe_vectors(const VectorReader& reader) {
    Json object{{"file", reader.path()},
                {"kind", "vectors"},
                {"vectors", reader.rows()},
                {"dimensions", reader.columns()},
                {"type", name(reader.type())}};
    std::error_code missing;  // a path into an HDF5 file names no file of its own
    const auto bytes = std::filesystem::file_size(reader.path(), missing);
    if (!missing) object["bytes"] = bytes;
    return object;
}

Json describe_unfinished(const std::string& path) {
    return {{"file", path},
            {"kind", "unfinished index"},
            {"bytes", std::filesystem::file_size(path)},
            {"task", unfinished_task(path)}};
}

Json json_of(const LivingInfo& info) {
    Json object{{"kind", "index in a folder"}, {"spec", info.spec},     {"metric", name(info.metric)},
                {"vectors", info.vectors},     {"removed", info.dead},  {"ids", info.named ? "texts" : "numbers"},
                {"next_id", info.next_id},     {"commit", info.commit}, {"segments", Json::array()}};
    for (const LivingInfo::Segment& segment : info.segments)
        object["segments"].push_back({{"number", segment.number},
                                      {"vectors", segment.vectors},
                                      {"removed", segment.dead},
                                      {"bytes", segment.bytes}});
    return object;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_of(const Health& health) {
    Json object{{"vectors", health.vectors},
                {"sampled", health.sampled},
                {"queries", health.queries},
                {"recall_at_10", number_or_null(health.recall)},
                {"training_distortion", health.training_distortion},
                {"recent_distortion", health.recent_distortion},
                {"retrain", health.retrain},
                {"advice", health.advice},
                {"segments", Json::array()}};
    for (const Health::Segment& segment : health.segments)
        object["segments"].push_back({{"number", segment.number},
                                      {"vectors", segment.vectors},
                                      {"sampled", segment.sampled},
                                      {"distortion", segment.distortion}});
    return object;
}

Json describe_folder(const std::string& path) {
    Json object{{"folder", path}};
    object.update(json_of(LivingIndex::open(path).info()));
    return object;
}

// Tries files of unknown extension as vectors and as containers, and reports the first reason.
Json json_of_file(const std::string& path) {
    if (LivingIndex::is_at(path)) return describe_folder(path);
    if (holds_unfinished_index(path)) return describe_unfinished(path);
    if (path.ends_with(".smd")) return describe_container(path, container_info(path));
    try {
        return describe_vectors(VectorReader(path));
    } catch (const Error& as_vectors) {
        std::optional<ContainerInfo> info;
        try {
            info = container_info(path);
        } catch (const Error&) {
            throw as_vectors;
        }
        return describe_container(path, *info);
    }
}

}  // namespace

std::string describe(const Quantizer& model) { return json_of(model).dump(); }

std::string describe(const Index& index) {
    Json object = Json::object();
    describe_index(index, object);
    return object.dump();
}

std::string describe(const LivingInfo& info) { return json_of(info).dump(); }

std::string describe(const Health& health) { return json_of(health).dump(); }

std::string describe_file(const std::string& path) { return json_of_file(path).dump(); }

}  // namespace summand
