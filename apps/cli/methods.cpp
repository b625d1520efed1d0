// summand methods: what can stand in a spec.
#include <fmt/format.h>

#include <memory>

#include "run.h"
#include "verbs.h"

namespace summand::cli {
namespace {

void print_methods() {
    for (const MethodInfo& method : methods()) {
        fmt::print("{:<8} {}\n", method.name, method.summary);
        if (!method.options.empty()) fmt::print("{:<8}   options: {}\n", "", fmt::join(method.options, ", "));
    }
}

void print_json() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MethodInfo& method : methods())
        list.push_back({{"name", method.name},
                        {"summary", method.summary},
                        {"options", method.options},
                        {"resumable", method.resumable}});
    fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_methods(CLI::App& app, Chosen& chosen) {
    auto as_json = std::make_shared<bool>(false);
    CLI::App& verb = add_verb(app, chosen, "methods", "List the methods and their options", "summand methods --json",
                              [as_json] { *as_json ? print_json() : print_methods(); });
    verb.add_flag("--json", *as_json, "Print JSON");
}

}  // namespace summand::cli
