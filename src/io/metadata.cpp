#include "io/metadata.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace summand {

Fields::Fields(const ContainerReader& reader, const nlohmann::json& metadata, const std::string& key)
    : reader_(reader), name_(key) {
    reader.check(metadata.contains(key) && metadata[key].is_object(), "metadata has no object ", key);
    object_ = metadata[key];
}

const nlohmann::json& Fields::at(const std::string& key) const {
    reader_.check(object_.contains(key), "metadata has no ", name_, ".", key);
    return object_[key];
}

std::uint64_t Fields::count(const std::string& key) const {
    const nlohmann::json& value = at(key);
    reader_.check(value.is_number_unsigned(), "metadata ", name_, ".", key, " is not a whole number");
    return value.get<std::uint64_t>();
}

std::uint64_t Fields::count(const std::string& key, std::uint64_t smallest, std::uint64_t largest) const {
    const std::uint64_t value = count(key);
    reader_.check(value >= smallest && value <= largest, "metadata ", name_, ".", key, " is ", value, ", expected ",
                  smallest, " to ", largest);
    return value;
}

bool Fields::flag(const std::string& key) const {
    const nlohmann::json& value = at(key);
    reader_.check(value.is_boolean(), "metadata ", name_, ".", key, " is not true or false");
    return value.get<bool>();
}

std::string Fields::text(const std::string& key) const {
    const nlohmann::json& value = at(key);
    reader_.check(value.is_string(), "metadata ", name_, ".", key, " is not a text");
    return value.get<std::string>();
}

float Fields::number(const std::string& key, float otherwise) const {
    return object_.contains(key) ? number(key) : otherwise;
}

float Fields::number(const std::string& key) const {
    const nlohmann::json& value = at(key);
    const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
    reader_.check(std::abs(number) <= std::numeric_limits<float>::max(), "metadata ", name_, ".", key,
                  " is not a finite number");
    return static_cast<float>(number);
}

double Fields::figure(const std::string& key) const {
    const nlohmann::json& value = at(key);
    reader_.check(value.is_number() || value.is_null(), "metadata ", name_, ".", key, " is not a number");
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::optional<double> Fields::measured(const std::string& key) const {
    if (at(key).is_null()) return std::nullopt;
    return figure(key);
}

std::uint64_t Fields::hash(const std::string& key) const {
    const std::string digits = text(key);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    reader_.check(error == std::errc() && digits == hex(value), "metadata ", name_, ".", key, " is '", digits,
                  "', expected 16 hexadecimal digits");
    return value;
}

std::string hex(std::uint64_t hash) {
    std::string text(16, '0');
    for (std::size_t i = 0; i < text.size(); ++i) text[15 - i] = "0123456789abcdef"[hash >> (4 * i) & 15];
    return text;
}

Metric read_metric(const Fields& fields) {
    const std::string text = fields.text("metric");
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine})
        if (name(metric) == text) return metric;
    fields.reader().check(false, "metadata index.metric is '", text, "', expected euclidean, ip or cosine");
    return Metric::euclidean;
}

}  // namespace summand
