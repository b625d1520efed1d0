#include "descriptor_folder.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

namespace summand::cli {
namespace {

// Nothing for an image without descriptors: readers refuse such files with these words.
std::optional<VectorReader> open(const std::string& path) {
    try {
        return VectorReader(path);
    } catch (const Error& error) {
        const std::string_view message = error.what();
        if (message.ends_with(": the file is empty") || message.find(": holds zero vectors") != message.npos)
            return std::nullopt;
        throw;
    }
}

}  // namespace

DescriptorFolder::DescriptorFolder(const std::string& folder) : folder_(folder) {
    namespace fs = std::filesystem;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with('.') && !entry.is_directory()) files_.push_back({name, entry.path().string()});
    }
    require(!error, folder, ": expected a folder of descriptor files: ", error.message());
    require(!files_.empty(), folder, ": expected a file of descriptors for each image, got none");
    std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.name < b.name; });
    for (File& file : files_) {
        check_interrupt();
        const std::optional<VectorReader> reader = open(file.path);
        if (!reader) continue;
        file.rows = reader->rows();
        if (first_.empty()) {
            columns_ = reader->columns();
            first_ = file.path;
        }
        cli::require_dimensions(*reader, columns_, first_);
    }
}

std::size_t DescriptorFolder::empty_images() const {
    return static_cast<std::size_t>(
        std::count_if(files_.begin(), files_.end(), [](const File& file) { return file.rows == 0; }));
}

std::string DescriptorFolder::names() const {
    std::string text;
    for (const File& file : files_) text += file.name + "\n";
    return text;
}

void DescriptorFolder::require_dimensions(std::size_t dimensions, const std::string& other) const {
    if (!first_.empty()) cli::require_dimensions(VectorReader(first_), dimensions, other);
}

Matrix<float> DescriptorFolder::read(std::size_t image) const {
    if (files_[image].rows == 0) return {0, columns_};
    return read_vectors(files_[image].path);
}

Matrix<float> DescriptorFolder::sample(std::size_t count, std::uint64_t seed, Run& run) const {
    const Stopwatch watch;
    const std::size_t all = std::accumulate(files_.begin(), files_.end(), std::size_t{0},
                                            [](std::size_t sum, const File& file) { return sum + file.rows; });
    require(all > 0, folder_, ": expected descriptors, got ", files_.size(), " files without any");
    const std::vector<std::size_t> rows = sample_rows(all, count, seed);
    Matrix<float> result(rows.size(), columns_);
    std::size_t next = 0, begin = 0;
    for (std::size_t image = 0; image < files_.size(); begin += files_[image++].rows) {
        check_interrupt();
        const Matrix<float> descriptors = read(image);
        for (; next < rows.size() && rows[next] < begin + descriptors.rows(); ++next)
            std::copy_n(descriptors.row(rows[next] - begin), columns_, result.row(next));
        run.display().update({.stage = "read", .step = image + 1, .steps = files_.size(), .seconds = watch.seconds()});
    }
    return result;
}

}  // namespace summand::cli
