#include "tool.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace summand::cli {

void add_threads(CLI::App& verb, RunOptions& options) {
    verb.add_option("-t,--threads", options.threads, "Threads to use; 0: all of the machine")
        ->check(whole_number(0, 4096))
        ->capture_default_str();
}

void add_seed(CLI::App& verb, RunOptions& options) {
    verb.add_option("--seed", options.seed, "Seed of every random choice")
        ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        ->capture_default_str();
}

void add_quiet(CLI::App& verb, RunOptions& options) {
    verb.add_flag("-q,--quiet", options.quiet, "Print nothing but errors");
}

CLI::Validator whole_number(std::uint64_t smallest, std::uint64_t largest) {
    return {[=](const std::string& text) -> std::string {
                std::uint64_t value = 0;
                const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
                const bool whole = status == std::errc() && end == text.data() + text.size();
                if (whole && value >= smallest && value <= largest) return {};
                return fmt::format("expected a whole number from {} to {}, got '{}'", smallest, largest, text);
            },
            ""};
}

Run::Run(const RunOptions& options) : options_(options), display_(options.quiet ? Display::quiet : Display::automatic) {
    kernel_level();  // throws for one that this CPU lacks, whatever the files are
}

Execution Run::execution() {
    Execution execution = silent_execution();
    execution.progress = [this](const Progress& progress) { display_.update(progress); };
    return execution;
}

Execution Run::silent_execution() const { return {.threads = options_.threads, .stop = interrupt_token()}; }

void Run::print(const std::string& line) const {
    if (options_.quiet || options_.json == "-") return;
    display_.erase();
    fmt::print("{}\n", line);
}

void Run::write_json(const nlohmann::ordered_json& summary) const {
    if (options_.json.empty()) return;
    const std::string text = summary.dump(2) + "\n";
    if (options_.json == "-") {
        display_.erase();
        fmt::print("{}", text);
    } else {
        write_file(options_.json, std::as_bytes(std::span(text)));
    }
}

void require_dimensions(const VectorReader& reader, std::size_t dimensions, const std::string& other) {
    require(reader.columns() == dimensions, reader.path(), ": expected vectors of ", dimensions, " dimensions as in ",
            other, ", got ", reader.columns());
}

}  // namespace summand::cli
