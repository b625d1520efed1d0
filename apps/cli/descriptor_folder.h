// A folder with a file of local descriptors for each image.
#pragma once

#include <string>
#include <vector>

#include "run.h"

namespace summand::cli {

class DescriptorFolder {
public:
    /// Looks at all files, in the order of their names; hidden ones are left out. Throws where there are none, or they
    /// do not have the same dimensions. Images without descriptors are files of no bytes or no rows.
    explicit DescriptorFolder(const std::string& folder);

    std::size_t images() const { return files_.size(); }
    std::size_t empty_images() const;
    const std::string& path(std::size_t image) const { return files_[image].path; }
    std::string names() const;  ///< a line for each file

    /// Throws that names a file unless descriptors have as many dimensions as in `other`.
    void require_dimensions(std::size_t dimensions, const std::string& other) const;

    Matrix<float> read(std::size_t image) const;

    /// `count` descriptors of all images, drawn without replacement; all of them where there are fewer.
    Matrix<float> sample(std::size_t count, std::uint64_t seed, Run& run) const;

private:
    struct File {
        std::string name, path;
        std::size_t rows = 0;
    };

    std::string folder_;
    std::vector<File> files_;
    std::size_t columns_ = 0;
    std::string first_;  // the file that has them
};

}  // namespace summand::cli
