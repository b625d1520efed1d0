// summand info: what a file holds.
#include <fmt/format.h>

#include <algorithm>

#include "run.h"
#include "summand/describe.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string file;
    bool as_json = false;
};

std::string value_text(const std::string& key, const Json& value) {
    if (value.is_number_unsigned()) return key == "version" ? value.dump() : grouped(value.get<std::uint64_t>());
    if (value.is_number()) return fmt::format("{:.6g}", value.get<double>());
    if (value.is_null()) return "not measured";
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    return value.get<std::string>();
}

std::string label(std::string key) {
    std::replace(key.begin(), key.end(), '_', ' ');
    return key;
}

void print_sections(const Json& sections) {
    fmt::print("sections\n");
    for (const Json& section : sections)
        fmt::print("  {:<18} {:<8} {:<16} {:>14} bytes\n", section["name"].get<std::string>(),
                   section["type"].get<std::string>(),
                   fmt::format("{}", fmt::join(section["shape"].get<std::vector<std::uint64_t>>(), " x ")),
                   grouped(section["bytes"].get<std::uint64_t>()));
}

void print_segments(const Json& segments) {
    fmt::print("segments\n");
    for (const Json& segment : segments)
        fmt::print("  {:<8} {:>14} vectors {:>12} removed {:>16} bytes\n", segment["number"].get<std::uint64_t>(),
                   grouped(segment["vectors"].get<std::uint64_t>()), grouped(segment["removed"].get<std::uint64_t>()),
                   grouped(segment["bytes"].get<std::uint64_t>()));
}

void print_object(const Json& object, const std::string& indent) {
    for (const auto& [key, value] : object.items()) {
        if (key == "sections") {
            print_sections(value);
        } else if (key == "segments") {
            print_segments(value);
        } else if (value.is_object()) {
            fmt::print("{}{}\n", indent, key);
            print_object(value, indent + "  ");
        } else {
            fmt::print("{}{:<{}} {}\n", indent, label(key), 22 - indent.size(), value_text(key, value));
        }
    }
}

void run_info(const Options& options) {
    const Json object = Json::parse(describe_file(options.file));
    if (options.as_json)
        fmt::print("{}\n", object.dump(2));
    else
        print_object(object, "");
}

}  // namespace

void add_info(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "info", "Show what a model, codes, index, folder or vector file holds",
                                    "summand info index.smd", run_info);
    verb.add_option("FILE", options->file, "File to look at")->required();
    verb.add_flag("--json", options->as_json, "Print JSON");
}

}  // namespace summand::cli
