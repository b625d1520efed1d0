#include "nearest_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace summand::cli {
namespace {

// Letters to insert, delete, replace or swap with the next one.
std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            std::size_t& cost = table[i][j] = i + j;  // all of a out, all of b in
            if (i == 0 || j == 0) continue;
            const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost = std::min({cost, replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost = std::min(cost, table[i - 2][j - 2] + 1);
        }
    return table[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
    const auto nearest = std::min_element(
        known.begin(), known.end(), [&](const auto& a, const auto& b) { return edits(name, a) < edits(name, b); });
    if (nearest == known.end() || 3 * edits(name, *nearest) > std::max(name.size(), nearest->size())) return {};
    return fmt::format(", did you mean '{}'?", *nearest);
}

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
    const auto found = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
    return found.empty() ? nullptr : found.front();
}

std::vector<std::string> verb_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!verb->get_group().empty()) names.push_back(verb->get_name());
    return names;
}

std::vector<std::string> option_names(const CLI::App& verb) {
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

}  // namespace summand::cli
