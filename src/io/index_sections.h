// What the files of both kinds of index share: where their bytes come from, and the sections beside those of a second
// layer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/container_reader.h"
#include "io/container_writer.h"
#include "summand/flat_index.h"
#include "summand/inverted_index.h"

namespace summand {

/// Bytes aligned to 64, in a mapped file or in memory, and what keeps them.
struct KeptBytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

KeptBytes copied(std::span<const std::byte> bytes);
KeptBytes mapped(const std::string& path);

/// When codes and ids of a container are checked: each piece when it is first used, or all before anything is. Other
/// sections, and files without checksums of pieces, are checked at once.
enum class Checking : std::uint8_t { on_first_use, at_once };

/// A container that is being loaded.
struct IndexFile {
    IndexFile(KeptBytes kept, std::string_view file_name, Checking when)
        : bytes(kept.bytes), owner(std::move(kept.owner)), name(file_name), checking(when) {}

    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::string name;
    Checking checking;
    MemoryBytes source{bytes};
    ContainerReader reader{source, name};
    nlohmann::json metadata = reader.metadata();

    /// Runs `work`; its errors get the file's name in front.
    template <class Work>
    auto named(const Work& work) const {
        try {
            return work();
        } catch (const Error& error) {
            throw Error(concatenate(name, ": ", error.what()));
        }
    }
};

/// Opens an index file and checks all of it. Throws `Error` where it is damaged.
void verify_index(const std::string& path);

FlatIndex read_flat_index(const IndexFile& file);
InvertedIndex read_inverted_index(const IndexFile& file);

/// Hands the container of an index to `finish` while what it borrows is alive.
using FinishContainer = std::function<void(ContainerWriter&)>;
void with_container(const FlatIndex& index, const FinishContainer& finish);
void with_container(const InvertedIndex& index, const FinishContainer& finish);

}  // namespace summand
