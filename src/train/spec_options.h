// Reads the options of a spec: each is taken once by name, and what is left over is an error.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summand/train.h"

namespace summand {

class SpecOptions {
public:
    explicit SpecOptions(const Spec& spec) : spec_(spec) {}

    int integer(std::string_view name, int otherwise, int lowest, int highest);
    double number(std::string_view name, double otherwise, const char* expected = "a number");
    double number(std::string_view name, double otherwise, double lowest, double highest);
    std::string text(std::string_view name, std::string_view otherwise);

    /// One of the named choices; the first is the default.
    template <class T>
    T choice(std::string_view name, std::initializer_list<std::pair<std::string_view, T>> choices) {
        std::vector<std::string_view> names;
        for (const auto& [key, value] : choices) names.push_back(key);
        return (choices.begin() + index_of(name, names))->second;
    }

    /// Throws `Error` for an option that nobody took, and lists the options that exist.
    void finish() const;

private:
    const std::string* find(std::string_view name);
    std::size_t index_of(std::string_view name, const std::vector<std::string_view>& choices);
    [[noreturn]] void fail(std::string_view name, const std::string& value, const std::string& expected) const;

    const Spec& spec_;
    std::vector<std::string> taken_;
};

}  // namespace summand
