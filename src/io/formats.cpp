#include "io/formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "summand/error.h"

namespace summand {

namespace {

constexpr std::array<Format, 8> kFormats{{{".fvecs", Layout::vecs, Stored::float32},
                                          {".bvecs", Layout::vecs, Stored::uint8},
                                          {".ivecs", Layout::vecs, Stored::int32},
                                          {".fbin", Layout::bin, Stored::float32},
                                          {".u8bin", Layout::bin, Stored::uint8},
                                          {".i8bin", Layout::bin, Stored::int8},
                                          {".ibin", Layout::bin, Stored::int32},
                                          {".npy", Layout::npy, Stored::float32}}};

bool names_hdf5(std::string_view path) {
    const std::string found = extension(path);
    return found == ".hdf5" || found == ".h5";
}

struct Hdf5Path {
    std::string file;
    std::string dataset;
};

/// Splits `file.hdf5:dataset`; a colon elsewhere belongs to the file's name.
std::optional<Hdf5Path> parse_hdf5_path(const std::string& path, std::string_view dataset) {
    if (names_hdf5(path)) return Hdf5Path{path, std::string(dataset)};
    const std::size_t colon = path.rfind(':');
    if (colon == std::string::npos || !names_hdf5(std::string_view(path).substr(0, colon))) return std::nullopt;
    require(colon + 1 < path.size(), path, ": expected the name of a dataset after the colon");
    return Hdf5Path{path.substr(0, colon), path.substr(colon + 1)};
}

bool names_idx(std::string_view path) {
    const std::string found = extension(path);
    return found == ".gz" || found == ".idx" || found.ends_with("-ubyte") || path.ends_with("-ubyte");
}

bool begins_as_idx(const std::string& path) {
    const InputFile file(path);
    std::array<std::byte, 4> start{};
    if (file.size() < start.size()) return false;
    file.read_at(0, start);
    return start[0] == std::byte{0} && start[1] == std::byte{0} &&
           (start[2] == std::byte{8} || start[2] == std::byte{9});
}

SourcePointer open_format(const std::string& path, const Format& format) {
    switch (format.layout) {
        case Layout::vecs:
            return open_vecs(path, format.type);
        case Layout::bin:
            return open_bin(path, format.type);
        default:
            return open_npy(path);
    }
}

}  // namespace

std::string extension(std::string_view path) {
    std::string found = std::filesystem::path(path).extension().string();
    std::transform(found.begin(), found.end(), found.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return found;
}

std::optional<Format> format_of(std::string_view path) {
    const std::string wanted = extension(path);
    const auto found =
        std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.extension == wanted; });
    if (found == kFormats.end()) return std::nullopt;
    return *found;
}

SourcePointer open_source(const std::string& path, std::string_view dataset) {
    if (const auto format = format_of(path)) return open_format(path, *format);
    if (const auto hdf5 = parse_hdf5_path(path, dataset)) return open_hdf5(hdf5->file, hdf5->dataset);
    if (names_idx(path) || begins_as_idx(path)) return open_idx(path);
    throw Error(concatenate(path, ": unknown extension '", extension(path),
                            "', expected .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy .hdf5 .h5 or an MNIST "
                            "idx file (.idx, -ubyte, .gz)"));
}

}  // namespace summand
