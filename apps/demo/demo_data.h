// The images of the demo: Fashion-MNIST, or drawn ones where it is not installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "summand/matrix.h"

namespace summand::cli {

struct DemoData {
    std::string name;
    std::string description;
    std::size_t width = 28;  ///< of an image, in pixels
    Matrix<float> base;      ///< also learnt from
    Matrix<float> queries;
    std::vector<std::uint8_t> base_labels = {}, query_labels = {};  ///< the kind of each
    std::vector<std::string> label_names = {};
};

/// Reads the idx files of a folder: train-images-idx3-ubyte and t10k-images-idx3-ubyte, and their labels
/// (train-labels-idx1-ubyte …), plain or .gz.
DemoData read_demo_images(const std::string& folder);

/// Classes of smooth blobs with jittered positions, from a seed.
DemoData draw_demo_images(std::uint64_t seed);

}  // namespace summand::cli
