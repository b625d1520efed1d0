// Gathers the sections of a container and streams them out.
#pragma once

#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "io/container.h"
#include "summand/io.h"

namespace summand {

class ContainerWriter {
public:
    explicit ContainerWriter(Kind kind) : kind_(kind) {}

    nlohmann::json metadata = nlohmann::json::object();  ///< becomes the last section

    /// Borrows the values until the container is written.
    template <class T>
    void add(const std::string& section, Element type, const SectionShape& shape, const std::vector<T>& values) {
        add(section, type, shape, std::span<const T>(values));
    }
    template <class T>
    void add(const std::string& section, Element type, const SectionShape& shape, std::span<const T> values) {
        add_bytes(section, type, shape, std::as_bytes(values));
    }

    /// Keeps the values.
    template <class T>
    void add(const std::string& section, Element type, const SectionShape& shape, std::vector<T>&& values) {
        const auto bytes = std::as_bytes(std::span(values));
        owned_.emplace_back(bytes.begin(), bytes.end());
        add_bytes(section, type, shape, owned_.back());
    }

    /// Both add the metadata and may be called once.
    Bytes finish();
    void finish(const std::string& path, NameLasts lasts = NameLasts::now);

private:
    using Sink = std::function<void(std::span<const std::byte>)>;

    void add_bytes(const std::string& section, Element type, const SectionShape& shape,
                   std::span<const std::byte> bytes);
    void place_sections();
    std::uint64_t total() const;
    Bytes head() const;
    void write(const Sink& sink) const;

    Kind kind_;
    std::vector<Section> sections_;
    std::vector<std::span<const std::byte>> contents_;  // of each section
    std::deque<Bytes> owned_;
};

}  // namespace summand
