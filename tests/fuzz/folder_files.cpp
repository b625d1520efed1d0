#include "fuzz/folder_files.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/byte_order.h"
#include "base/hash.h"
#include "io/byte_source.h"
#include "io/container_reader.h"
#include "io/container_writer.h"
#include "store/manifest.h"
#include "summand/error.h"

namespace summand::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumns = 8;  // of the manifest's table

template <class Number>
void append(Bytes& bytes, Number number) {
    bytes.resize(bytes.size() + sizeof number);
    store_little(&bytes[bytes.size() - sizeof number], number);
}

// The next `size` bytes, or as many as there are.
std::span<const std::byte> taken(std::span<const std::byte>& bytes, std::size_t size) {
    const auto result = bytes.first(std::min(size, bytes.size()));
    bytes = bytes.subspan(result.size());
    return result;
}

template <class Number>
Number number(std::span<const std::byte>& bytes) {
    std::byte raw[sizeof(Number)]{};
    const auto found = taken(bytes, sizeof(Number));
    std::copy(found.begin(), found.end(), raw);
    return load_little<Number>(raw);
}

bool is_plain(const std::string& name) {
    return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == name.npos &&
           name.front() != '.';
}

std::uint32_t head_checksum(const Bytes& container) {
    return container.size() < header::kSize ? 0 : load_little<std::uint32_t>(&container[header::kCrc]);
}

void correct_row(std::uint64_t* row, const FolderFiles& files) {
    if (const auto segment = files.find(segment_path("", row[0])); segment != files.end()) {
        row[2] = segment->second.size();
        row[3] = head_checksum(segment->second);
    }
    if (const auto dead = files.find(dead_path("", row[0], row[5])); dead != files.end()) {
        row[6] = dead->second.size();
        row[7] = crc32_of(dead->second.data(), dead->second.size());
    }
}

}  // namespace

FolderFiles files_of(const std::string& folder) {
    FolderFiles files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const InputFile file(entry.path().string());
        Bytes& bytes = files[entry.path().filename().string()];
        bytes.resize(file.size());
        file.read_at(0, bytes);
    }
    return files;
}

Bytes joined(const FolderFiles& files) {
    Bytes bytes;
    for (const auto& [name, content] : files) {
        append(bytes, static_cast<std::uint16_t>(name.size()));
        const auto* text = reinterpret_cast<const std::byte*>(name.data());
        bytes.insert(bytes.end(), text, text + name.size());
        append(bytes, static_cast<std::uint32_t>(content.size()));
        bytes.insert(bytes.end(), content.begin(), content.end());
    }
    return bytes;
}

FolderFiles split(std::span<const std::byte> bytes) {
    FolderFiles files;
    while (!bytes.empty()) {
        const auto name = taken(bytes, number<std::uint16_t>(bytes));
        const std::string text(reinterpret_cast<const char*>(name.data()), name.size());
        const auto content = taken(bytes, number<std::uint32_t>(bytes));
        if (is_plain(text)) files[text] = {content.begin(), content.end()};
    }
    return files;
}

void write_files(const std::string& folder, const FolderFiles& files) {
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry.path());
    for (const auto& [name, content] : files)
        std::ofstream(fs::path(folder) / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

void correct_stamps(FolderFiles& files) {
    const auto manifest = files.find("manifest.smd");
    if (manifest == files.end()) return;
    try {
        const MemoryBytes bytes(manifest->second);
        const ContainerReader reader(bytes, "manifest");
        nlohmann::json metadata = reader.metadata();
        const std::uint64_t rows = metadata.at("store").at("segments").get<std::uint64_t>();
        auto table = reader.values<std::uint64_t>("segments", Element::uint64, {rows, kColumns});
        for (std::size_t i = 0; i < rows; ++i) correct_row(&table[i * kColumns], files);
        const auto generation = metadata["store"].at("generation").get<std::uint64_t>();
        for (const auto& [name, path] :
             {std::pair("model", model_path("", generation)), {"refine", refine_path("", generation)}})
            if (const auto model = files.find(path); model != files.end()) {
                metadata["store"][std::string(name) + "_bytes"] = model->second.size();
                metadata["store"][std::string(name) + "_crc"] = head_checksum(model->second);
            }
        ContainerWriter writer(Kind::manifest);
        writer.metadata = metadata;
        writer.add("segments", Element::uint64, {rows, kColumns}, table);
        manifest->second = writer.finish();
    } catch (const Error&) {  // a manifest that is forged beyond that is left as it is
    } catch (const nlohmann::json::exception&) {
    }
}

}  // namespace summand::fuzz
