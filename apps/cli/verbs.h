// The verbs of the tool. Each adds its subcommand to the parser; the chosen one is run after parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace summand::cli {

/// What the command line asked for.
struct Chosen {
    std::string verb;
    std::function<void()> work;
};

/// A subcommand with an example under its help text.
CLI::App& add_verb(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& summary,
                   const std::string& example, std::function<void()> work);

/// A verb, and what its options are read into.
template <class Options>
struct Verb {
    CLI::App& app;
    std::shared_ptr<Options> options;
};

/// The same for work(options).
template <class Options>
Verb<Options> add_verb(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& summary,
                       const std::string& example, void (*work)(const Options&)) {
    auto options = std::make_shared<Options>();
    return {add_verb(app, chosen, name, summary, example, [options, work] { work(*options); }), options};
}

void add_train(CLI::App& app, Chosen& chosen);
void add_encode(CLI::App& app, Chosen& chosen);
void add_build(CLI::App& app, Chosen& chosen);
void add_create(CLI::App& app, Chosen& chosen);
void add_add(CLI::App& app, Chosen& chosen);
void add_update(CLI::App& app, Chosen& chosen);
void add_remove(CLI::App& app, Chosen& chosen);
void add_compact(CLI::App& app, Chosen& chosen);
void add_merge(CLI::App& app, Chosen& chosen);
void add_split(CLI::App& app, Chosen& chosen);
void add_retrain(CLI::App& app, Chosen& chosen);
void add_health(CLI::App& app, Chosen& chosen);
void add_verify(CLI::App& app, Chosen& chosen);
void add_repair(CLI::App& app, Chosen& chosen);
void add_search(CLI::App& app, Chosen& chosen);
void add_evaluate(CLI::App& app, Chosen& chosen);
void add_tune(CLI::App& app, Chosen& chosen);
void add_aggregate(CLI::App& app, Chosen& chosen);
void add_exact(CLI::App& app, Chosen& chosen);
void add_info(CLI::App& app, Chosen& chosen);
void add_convert(CLI::App& app, Chosen& chosen);
void add_page(CLI::App& app, Chosen& chosen);
void add_methods(CLI::App& app, Chosen& chosen);
void add_help(CLI::App& app, Chosen& chosen);
void add_documentation(CLI::App& app, Chosen& chosen);

}  // namespace summand::cli
