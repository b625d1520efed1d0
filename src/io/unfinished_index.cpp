#include "summand/unfinished_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/byte_order.h"
#include "io/atomic_file.h"
#include "io/codes_file.h"
#include "io/file_calls.h"
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

/// How much of the file was written: a crash may leave zeros after that, and a container ends with the brace of its
/// metadata.
std::uint64_t written_size(const ByteSource& file) {
    constexpr std::uint64_t kPiece = 1 << 16;
    Bytes piece;
    for (std::uint64_t end = file.size(); end > 0; end -= piece.size()) {
        piece.resize(std::min(kPiece, end));
        file.read_at(end - piece.size(), piece);
        const auto last = std::find_if(piece.rbegin(), piece.rend(), [](std::byte b) { return b != std::byte{0}; });
        if (last != piece.rend()) return end - static_cast<std::uint64_t>(last - piece.rbegin());
    }
    return 0;
}

/// The length of the container at `offset`, or nothing where the written part ends before it. A damaged head does not
/// say how long it is: the container then takes all that is left, and its reader says what is wrong.
std::optional<std::uint64_t> complete_length(const ByteSource& file, std::uint64_t offset, std::uint64_t written) {
    const std::uint64_t left = written - offset;
    if (left < header::kSize) return std::nullopt;
    Bytes head(header::kSize);
    file.read_at(offset, head);
    const auto count = load_little<std::uint32_t>(&head[header::kSections]);
    if (count > kMostSections) return left;
    head.resize(header::kSize + entry::kSize * count);
    if (left < head.size()) return std::nullopt;
    file.read_at(offset, head);
    if (!is_sound_head(head)) return left;
    const auto total = load_little<std::uint64_t>(&head[header::kTotal]);
    return total <= left ? std::optional(total) : std::nullopt;
}

/// The first container of the file: task and model.
Part head_of(const InputFile& file) {
    return {file, 0, complete_length(file, 0, written_size(file)).value_or(file.size())};
}

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
    require_written(file_calls::truncate(path.c_str(), static_cast<::off_t>(size)), path);
}

/// The builder as the file left it, and where its last whole chunk ends.
struct Resumed {
    InvertedBuilder builder;
    std::uint64_t end;
};

Resumed resume_from(const InputFile& file, const std::string& path, const BuildTask& task, EncodeOptions options) {
    const Part head = head_of(file);
    InvertedBuilder builder(read_model(ContainerReader(head, path), task), std::move(options));
    const std::uint64_t written = written_size(file);
    std::uint64_t end = head.size();
    for (std::size_t number = 0; end < written; ++number) {
        const std::optional<std::uint64_t> length = complete_length(file, end, written);
        if (!length) break;
        const Part part(file, end, *length);
        add_chunk(ContainerReader(part, concatenate(path, ": chunk ", number)), builder);
        end += *length;
    }
    return {std::move(builder), end};
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

void verify_unfinished_index(const std::string& path) {
    const InputFile file(path);
    const Part head = head_of(file);
    const ContainerReader reader(head, path);
    resume_from(file, path, read_task(reader, reader.metadata()), {});
}

void begin_index(const std::string& path, const BuildTask& task, const InvertedModel& model) {
    ContainerWriter writer(Kind::unfinished);
    add_inverted_model(writer, model);
    writer.metadata["task"] = task;
    writer.finish(path);
}

InvertedBuilder resume_index(const std::string& path, const BuildTask& task, EncodeOptions options) {
    const InputFile file(path);
    auto [builder, end] = resume_from(file, path, task, std::move(options));
    if (end < file.size()) cut(path, end);
    return std::move(builder);
}

void append_chunk(const std::string& path, const CellCodes& chunk, const InvertedBuilder& builder) {
    ContainerWriter writer(Kind::unfinished);
    add_codes(writer, chunk.codes, builder.model().quantizer);
    add_cells(writer, chunk.cells);
    writer.metadata["chunk"] = {{"first", builder.size()}};
    append_file(path, writer.finish());
}

}  // namespace summand
