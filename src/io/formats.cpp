#include "io/formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "summand/error.h"

namespace summand {

namespace {

constexpr std::array<Format, 14> kFormats{{{"fvecs", Layout::vecs, Stored::float32},
                                           {"bvecs", Layout::vecs, Stored::uint8},
                                           {"ivecs", Layout::vecs, Stored::int32},
                                           {"fbin", Layout::bin, Stored::float32},
                                           {"u8bin", Layout::bin, Stored::uint8},
                                           {"i8bin", Layout::bin, Stored::int8},
                                           {"ibin", Layout::bin, Stored::int32},
                                           {"npy", Layout::npy, Stored::float32},
                                           {"npz", Layout::npz, Stored::float32},
                                           {"csv", Layout::text, Stored::float32},
                                           {"tsv", Layout::text, Stored::float32},
                                           {"hdf5", Layout::hdf5, Stored::float32},
                                           {"h5", Layout::hdf5, Stored::float32},
                                           {"idx", Layout::idx, Stored::uint8}}};

std::optional<Format> format_named(std::string_view name) {
    const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.name == name; });
    if (found == kFormats.end()) return std::nullopt;
    return *found;
}

/// Text may be compressed; any other .gz is MNIST's.
std::optional<Format> format_of_file(const std::string& file) {
    const std::string found = extension(file);
    if (found == ".gz") {
        const auto inside = format_of_file(file.substr(0, file.size() - found.size()));
        return inside && inside->layout == Layout::text ? inside : format_named("idx");
    }
    if (found.ends_with("-ubyte") || file.ends_with("-ubyte")) return format_named("idx");
    return found.empty() ? std::nullopt : format_named(std::string_view(found).substr(1));
}

bool holds_arrays(const std::optional<Format>& format) {
    return format && (format->layout == Layout::hdf5 || format->layout == Layout::npz);
}

/// Splits `file.npz:array`; a colon elsewhere belongs to the file's name.
void split_array(const std::string& path, VectorPath& parsed) {
    const std::size_t colon = parsed.file.rfind(':');
    if (colon == std::string::npos) return;
    const std::string file = parsed.file.substr(0, colon);
    const bool named = holds_arrays(parsed.format) && (file == "-" || !parsed.prefix.empty());
    if (!named && !holds_arrays(format_of_file(file))) return;
    require(colon + 1 < parsed.file.size(), path, ": expected the name of an array after the colon");
    parsed.array = parsed.file.substr(colon + 1);
    parsed.file = file;
}

bool begins_as_idx(const std::string& path) {
    const InputFile file(path);
    std::array<std::byte, 4> start{};
    if (file.size() < start.size()) return false;
    file.read_at(0, start);
    return start[0] == std::byte{0} && start[1] == std::byte{0} &&
           (start[2] == std::byte{8} || start[2] == std::byte{9});
}

std::unique_ptr<InputFile> open_input(const VectorPath& path) {
    return path.standard() ? InputFile::standard_input(path.prefix + path.file)
                           : std::make_unique<InputFile>(path.file);
}

SourcePointer open_bytes(std::unique_ptr<InputFile> file, const VectorPath& path) {
    switch (path.format->layout) {
        case Layout::vecs:
            return open_vecs(std::move(file), path.format->type);
        case Layout::bin:
            return open_bin(std::move(file), path.format->type);
        case Layout::npy: {
            const std::string name = file->path();
            return open_npy(std::move(file), name);
        }
        case Layout::npz:
            return open_npz(std::move(file), path.array);
        case Layout::text:
            return open_text(std::move(file));
        default:
            return open_idx(std::move(file));
    }
}

}  // namespace

std::string extension(std::string_view path) {
    std::string found = std::filesystem::path(path).extension().string();
    std::transform(found.begin(), found.end(), found.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return found;
}

VectorPath parse_vector_path(const std::string& path) {
    VectorPath parsed{.prefix = {}, .file = path, .array = {}, .format = {}};
    const std::size_t colon = path.find(':');
    if (colon != std::string::npos) parsed.format = format_named(std::string_view(path).substr(0, colon));
    if (parsed.format) {
        parsed.prefix = path.substr(0, colon + 1);
        parsed.file = path.substr(colon + 1);
    }
    split_array(path, parsed);
    if (!parsed.format) parsed.format = format_of_file(parsed.file);
    return parsed;
}

std::string vector_file(const std::string& path) { return parse_vector_path(path).file; }

SourcePointer open_source(const std::string& path, std::string_view dataset) {
    const VectorPath parsed = parse_vector_path(path);
    require(parsed.format || !parsed.standard(), path,
            ": the format of standard input is not known, expected it before a colon as in fvecs:- or csv:-");
    if (parsed.format && parsed.format->layout == Layout::hdf5) {
        require(!parsed.standard(), path, ": HDF5 cannot be read from standard input, expected a file");
        return open_hdf5(parsed.file, parsed.array.empty() ? std::string(dataset) : parsed.array);
    }
    if (parsed.format) return open_bytes(open_input(parsed), parsed);
    if (begins_as_idx(parsed.file)) return open_idx(open_input(parsed));
    throw Error(concatenate(path, ": unknown extension '", extension(path),
                            "', expected .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy .npz .hdf5 .h5 .csv .tsv "
                            "or an MNIST idx file (.idx, -ubyte, .gz), or the format before a colon as in csv:FILE"));
}

SourcePointer open_matrix(const std::string& path, std::string_view dataset) {
    SourcePointer source = open_source(path, dataset);
    require(!source->shape().list, path, ": npy shape (", source->shape().rows, ",), expected two dimensions (n, d)");
    return source;
}

}  // namespace summand
