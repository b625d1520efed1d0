// The fields of one object in a container's metadata, each checked for its type.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/container_reader.h"
#include "summand/metric.h"

namespace summand {

class Fields {
public:
    /// The object named `key` of the metadata; the reader is borrowed.
    Fields(const ContainerReader& reader, const nlohmann::json& metadata, const std::string& key);

    bool has(const std::string& key) const { return object_.contains(key); }
    std::uint64_t count(const std::string& key) const;
    std::uint64_t count(const std::string& key, std::uint64_t smallest, std::uint64_t largest) const;
    bool flag(const std::string& key) const;
    std::string text(const std::string& key) const;
    float number(const std::string& key) const;                    ///< finite
    float number(const std::string& key, float otherwise) const;   ///< where the file has none
    double figure(const std::string& key) const;                   ///< NaN where it is null
    std::optional<double> measured(const std::string& key) const;  ///< nothing where it is null
    std::uint64_t hash(const std::string& key) const;              ///< 16 hexadecimal digits

    const ContainerReader& reader() const { return reader_; }

private:
    const nlohmann::json& at(const std::string& key) const;

    const ContainerReader& reader_;
    std::string name_;
    nlohmann::json object_;
};

/// The field "metric".
Metric read_metric(const Fields& fields);

/// 16 hexadecimal digits.
std::string hex(std::uint64_t hash);

}  // namespace summand
