// Reads a container and trusts nothing in it: header, table, lengths and padding are verified on construction, a
// section's type, shape and checksum when it is read.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "io/container.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {

/// Whether header and table have the checksum that they should have.
bool is_sound_head(Bytes head);

class ContainerReader {
public:
    /// Borrows the bytes. `name` stands for the file in messages.
    ContainerReader(const ByteSource& bytes, std::string_view name);

    Kind kind() const { return kind_; }
    std::uint32_t version() const { return version_; }
    const std::vector<Section>& sections() const { return sections_; }

    bool has(std::string_view section) const;

    /// Throws unless the container is of that kind and holds no sections but these.
    void expect(Kind kind, std::initializer_list<std::string_view> known) const;

    nlohmann::json metadata() const;

    /// The values of a section, which must have that type and shape. Floats must be finite.
    template <class T>
    std::vector<T> values(std::string_view section, Element type, const SectionShape& shape) const {
        const Section& found = find(section, type, shape);
        std::vector<T> result(found.length / sizeof(T));
        read(found, std::as_writable_bytes(std::span(result)));
        return result;
    }

    /// The place of a section, which must have that type and shape, after its checksum was found right. What it holds
    /// is not looked at.
    const Section& verified(std::string_view section, Element type, const SectionShape& shape) const;

    /// The same without its checksum.
    const Section& placed(std::string_view section, Element type, const SectionShape& shape) const {
        return find(section, type, shape);
    }

    /// Throws `Error` that begins with the file's name unless `ok`.
    template <class... Parts>
    void check(bool ok, const Parts&... parts) const {
        require(ok, name_, ": ", parts...);
    }

private:
    const Section& find(std::string_view section) const;
    const Section& find(std::string_view section, Element type, const SectionShape& shape) const;
    void read(const Section& section, std::span<std::byte> out) const;
    Bytes verified_head();
    Section parse_entry(const std::byte* bytes, std::size_t number) const;
    void check_layout() const;

    const ByteSource& bytes_;
    std::string name_;
    Kind kind_ = Kind::model;
    std::uint32_t version_ = 0;
    std::vector<Section> sections_;
};

}  // namespace summand
