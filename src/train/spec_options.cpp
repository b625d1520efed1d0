#include "train/spec_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "summand/error.h"

namespace summand {
namespace {

template <class T>
bool parse(const std::string& text, T& value) {
    const char* end = text.data() + text.size();
    const auto [stopped, status] = std::from_chars(text.data(), end, value);
    return status == std::errc() && stopped == end;
}

}  // namespace

const std::string* SpecOptions::find(std::string_view name) {
    if (std::find(taken_.begin(), taken_.end(), name) == taken_.end()) taken_.emplace_back(name);
    const auto found = spec_.options.find(std::string(name));
    return found == spec_.options.end() ? nullptr : &found->second;
}

void SpecOptions::fail(std::string_view name, const std::string& value, const std::string& expected) const {
    throw Error(
        concatenate("spec '", to_string(spec_), "': option ", name, ": expected ", expected, ", got '", value, "'"));
}

int SpecOptions::integer(std::string_view name, int otherwise, int lowest, int highest) {
    const std::string* text = find(name);
    int value = otherwise;
    if (text && (!parse(*text, value) || value < lowest || value > highest))
        fail(name, *text, concatenate("a whole number from ", lowest, " to ", highest));
    return value;
}

double SpecOptions::number(std::string_view name, double otherwise, const char* expected) {
    const std::string* text = find(name);
    double value = otherwise;
    if (text && (!parse(*text, value) || !std::isfinite(value))) fail(name, *text, expected);
    return value;
}

double SpecOptions::number(std::string_view name, double otherwise, double lowest, double highest) {
    const std::string* text = find(name);
    double value = otherwise;
    if (text && (!parse(*text, value) || !(value >= lowest && value <= highest)))
        fail(name, *text, concatenate("a number from ", lowest, " to ", highest));
    return value;
}

std::string SpecOptions::text(std::string_view name, std::string_view otherwise) {
    const std::string* text = find(name);
    return text ? *text : std::string(otherwise);
}

std::size_t SpecOptions::index_of(std::string_view name, const std::vector<std::string_view>& choices) {
    const std::string* text = find(name);
    if (!text) return 0;
    const auto found = std::find(choices.begin(), choices.end(), *text);
    if (found == choices.end()) {
        std::string list;
        for (const std::string_view choice : choices) list += concatenate(list.empty() ? "" : " or ", choice);
        fail(name, *text, list);
    }
    return static_cast<std::size_t>(found - choices.begin());
}

void SpecOptions::finish() const {
    std::string known;
    for (const std::string& name : taken_) known += concatenate(known.empty() ? "" : ", ", name);
    for (const auto& [name, value] : spec_.options)
        require(std::find(taken_.begin(), taken_.end(), name) != taken_.end(), "spec '", to_string(spec_),
                "': unknown option '", name, "' of ", spec_.method, "; known: ", known);
}

}  // namespace summand
