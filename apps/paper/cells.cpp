#include "cells.h"

#include "summand/error.h"

namespace summand::cli {
namespace {

using nlohmann::ordered_json;

double number(const ordered_json& value) { return value.is_null() ? -1.0 : value.get<double>(); }

// Reads a number that some cells lack.
double number(const ordered_json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? -1.0 : number(*found);
}

QuerySeconds spread(const ordered_json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return {};
    return {found->at("low"), found->at("median"), found->at("high")};
}

Report report_from(const ordered_json& object) {
    Report report;
    report.method = object.at("method");
    report.vectors = object.at("vectors");
    report.dimensions = object.at("dimensions");
    report.queries = object.at("queries");
    report.k = object.at("k");
    report.candidates = object.value("candidates", std::size_t{0});
    report.code_bytes = object.at("code_bytes");
    report.memory_bytes = object.at("memory_bytes");
    report.compression = object.at("compression");
    for (const ordered_json& point : object.at("recalls"))
        report.recalls.push_back({point.at("truths"), point.at("answers"), point.at("recall")});
    report.map = number(object.at("map"));
    report.distortion = number(object.at("distortion"));
    report.alone = spread(object, "alone_seconds");
    report.tables_alone = spread(object, "tables_alone_seconds");
    report.table_seconds = number(object.at("table_seconds"));
    report.word_score_seconds = number(object, "word_score_seconds");
    report.cell_order_seconds = number(object, "cell_order_seconds");
    report.scan_seconds = number(object.at("scan_seconds"));
    report.queries_per_second = number(object.at("queries_per_second"));
    report.train_seconds = number(object.at("train_seconds"));
    report.encode_seconds = number(object.at("encode_seconds"));
    report.threads = object.at("threads");
    report.kernels = object.at("kernels");
    return report;
}

ordered_json key_json(const CellKey& key) {
    ordered_json object{
        {"set", key.set}, {"spec", key.spec}, {"measure", name(key.measure)}, {"query_spec", key.query_spec}};
    if (key.candidates > 0) object["candidates"] = key.candidates;
    return object;
}

}  // namespace

std::string_view name(Measure measure) {
    switch (measure) {
        case Measure::search:
            return "search";
        case Measure::inner_product:
            return "inner-product";
        case Measure::compressed_queries:
            return "compressed-queries";
        case Measure::multi_index:
            return "multi-index";
        case Measure::holidays:
            return name(Protocol::holidays);
        case Measure::ukbench:
            return name(Protocol::ukbench);
    }
    return "";
}

std::optional<Protocol> protocol_of(Measure measure) {
    for (const Protocol protocol : kProtocols)
        if (measure_of(protocol) == measure) return protocol;
    return {};
}

Measure measure_of(Protocol protocol) { return protocol == Protocol::holidays ? Measure::holidays : Measure::ukbench; }

ordered_json to_json(const CellKey& key, const Cell& cell) {
    ordered_json object = key_json(key);
    object["sources"] = cell.sources;
    object["machine"] = cell.machine;
    object["report"] = ordered_json::parse(json({cell.report}))[0];
    object["objective"] = cell.objective;
    if (cell.reconstruct_seconds >= 0) object["reconstruct_seconds"] = cell.reconstruct_seconds;
    if (cell.retrieval >= 0) object["retrieval"] = cell.retrieval;
    if (cell.quadratic.median >= 0)
        object["quadratic_seconds"] = {
            {"low", cell.quadratic.low}, {"median", cell.quadratic.median}, {"high", cell.quadratic.high}};
    return object;
}

Cell cell_from_json(const CellKey& key, const std::string& text) {
    try {
        const ordered_json object = ordered_json::parse(text);
        const ordered_json expected = key_json(key);
        for (const auto& [part, value] : expected.items())
            require(object.at(part) == value, "expected a cell of ", value.dump(), ", got one of ",
                    object.at(part).dump());
        return {.report = report_from(object.at("report")),
                .objective = object.at("objective"),
                .sources = object.at("sources"),
                .machine = object.at("machine"),
                .reconstruct_seconds = number(object, "reconstruct_seconds"),
                .retrieval = number(object, "retrieval"),
                .quadratic = spread(object, "quadratic_seconds")};
    } catch (const nlohmann::json::exception& error) {
        throw Error(error.what());
    }
}

}  // namespace summand::cli
