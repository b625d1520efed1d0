#include "summand/unfinished_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/byte_order.h"
#include "io/atomic_file.h"
#include "io/codes_file.h"
#include "io/inverted_model_file.h"
#include "io/metadata.h"

namespace summand {

namespace {

/// A range of other bytes.
class Part final : public ByteSource {
public:
    Part(const ByteSource& whole, std::uint64_t offset, std::uint64_t size)
        : whole_(whole), offset_(offset), size_(size) {}

    std::uint64_t size() const override { return size_; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        whole_.read_at(offset_ + offset, out);
    }

private:
    const ByteSource& whole_;
    std::uint64_t offset_, size_;
};

/// The length that the container at `offset` claims, or nothing where the file ends before it.
std::optional<std::uint64_t> complete_length(const ByteSource& file, std::uint64_t offset) {
    const std::uint64_t left = file.size() - offset;
    if (left < header::kSize) return std::nullopt;
    Bytes field(sizeof(std::uint64_t));
    file.read_at(offset + header::kTotal, field);
    const auto total = load_little<std::uint64_t>(field.data());
    return total <= left ? std::optional(total) : std::nullopt;
}

/// The first container of the file: task and model.
Part head_of(const InputFile& file) { return {file, 0, complete_length(file, 0).value_or(file.size())}; }

BuildTask read_task(const ContainerReader& reader, const nlohmann::json& metadata) {
    reader.expect(Kind::unfinished, {"centre", "rotation", "blocks", "words", "word_offsets", "objective", "cell_words",
                                     "cell_offsets", "cell_groups", "cell_group_begin"});
    const Fields fields(reader, metadata, "task");
    BuildTask task;
    for (const auto& [name, value] : metadata["task"].items()) task[name] = fields.text(name);
    return task;
}

void check_task(const ContainerReader& reader, const BuildTask& before, const BuildTask& now) {
    for (const auto& [name, value] : now) {
        const auto found = before.find(name);
        const std::string then = found == before.end() ? "not given" : found->second;
        reader.check(then == value, "belongs to another build: ", name, " was ", then, ", now it is ", value);
    }
}

InvertedModel read_model(const ContainerReader& reader, const BuildTask& task) {
    const nlohmann::json metadata = reader.metadata();
    check_task(reader, read_task(reader, metadata), task);
    return read_inverted_model(reader, metadata);
}

// Cells have 32 bits, for which the container has no type: four bytes each.
void add_cells(ContainerWriter& writer, const std::vector<std::uint32_t>& cells) {
    const auto bytes = std::as_bytes(std::span(cells));
    writer.add("cells", Element::uint8, {cells.size(), sizeof(std::uint32_t)}, bytes);
}

std::vector<std::uint32_t> read_cells(const ContainerReader& reader, std::uint64_t count) {
    const auto bytes = reader.values<std::byte>("cells", Element::uint8, {count, sizeof(std::uint32_t)});
    std::vector<std::uint32_t> cells(count);
    if (count > 0) std::memcpy(cells.data(), bytes.data(), bytes.size());
    return cells;
}

void add_chunk(const ContainerReader& reader, InvertedBuilder& builder) {
    reader.expect(Kind::unfinished, {"codes", "bias", "cells"});
    const nlohmann::json metadata = reader.metadata();
    const std::uint64_t first = Fields(reader, metadata, "chunk").count("first");
    reader.check(first == builder.size(), "begins with vector ", first, ", expected ", builder.size());
    CellCodes chunk{.codes = read_codes(reader, metadata)};
    chunk.cells = read_cells(reader, chunk.codes.size());
    try {
        builder.add(chunk);
    } catch (const Error& error) {
        reader.check(false, error.what());
    }
}

void cut(const std::string& path, std::uint64_t size) {
    require(::truncate(path.c_str(), static_cast<::off_t>(size)) == 0, path, ": cannot write: ", reason(errno));
}

}  // namespace

bool holds_unfinished_index(const std::string& path) {
    if (!std::filesystem::exists(path)) return false;
    const InputFile file(path);
    Bytes head(header::kSize);
    if (file.size() < head.size()) return false;
    file.read_at(0, head);
    return std::memcmp(head.data(), kContainerMagic.data(), kContainerMagic.size()) == 0 &&
           load_little<std::uint32_t>(&head[header::kKind]) == static_cast<std::uint32_t>(Kind::unfinished);
}

BuildTask unfinished_task(const std::string& path) {
    const InputFile file(path);
    const Part head = head_of(file);
    const ContainerReader reader(head, path);
    return read_task(reader, reader.metadata());
}

void begin_index(const std::string& path, const BuildTask& task, const InvertedModel& model) {
    ContainerWriter writer(Kind::unfinished);
    add_inverted_model(writer, model);
    writer.metadata["task"] = task;
    writer.finish(path);
}

InvertedBuilder resume_index(const std::string& path, const BuildTask& task, EncodeOptions options) {
    const InputFile file(path);
    const Part head = head_of(file);
    InvertedBuilder builder(read_model(ContainerReader(head, path), task), std::move(options));
    std::uint64_t end = head.size();
    for (std::size_t number = 0; end < file.size(); ++number) {
        const std::optional<std::uint64_t> length = complete_length(file, end);
        if (!length) {
            cut(path, end);
            break;
        }
        const Part part(file, end, *length);
        add_chunk(ContainerReader(part, concatenate(path, ": chunk ", number)), builder);
        end += *length;
    }
    return builder;
}

void append_chunk(const std::string& path, const CellCodes& chunk, const InvertedBuilder& builder) {
    ContainerWriter writer(Kind::unfinished);
    add_codes(writer, chunk.codes, builder.model().quantizer);
    add_cells(writer, chunk.cells);
    writer.metadata["chunk"] = {{"first", builder.size()}};
    append_file(path, writer.finish());
}

}  // namespace summand
