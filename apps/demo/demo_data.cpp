#include "demo_data.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "tool.h"

namespace summand::cli {
namespace {

constexpr std::size_t kWidth = 28, kPixels = kWidth * kWidth;
constexpr std::size_t kClasses = 10, kBlobs = 5;

constexpr const char* kClothes[kClasses] = {"T-shirt", "trousers", "pullover", "dress", "coat",
                                            "sandal",  "shirt",    "sneaker",  "bag",   "ankle boot"};

std::string idx_file(const std::string& folder, const std::string& part, const std::string& kind) {
    const std::string plain = folder + "/" + part + "-" + kind + "-ubyte";
    for (const std::string& path : {plain, plain + ".gz"})
        if (std::filesystem::exists(path)) return path;
    throw Error(concatenate(folder, ": expected ", part, "-", kind, "-ubyte or the same with .gz, found neither"));
}

// A byte for each image after a head of eight: 0 0 8 1, and the number of them.
std::vector<std::uint8_t> read_labels(const std::string& path, std::size_t count) {
    constexpr std::size_t kHead = 8;
    std::vector<std::uint8_t> bytes(kHead + count + 1);
    const gzFile file = gzopen(path.c_str(), "rb");  // reads plain files as well
    require(file != nullptr, path, ": cannot be read");
    const int got = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    require(got == static_cast<int>(kHead + count) && bytes[2] == 8 && bytes[3] == 1, path, ": expected ", count,
            " labels as an idx file of one dimension");
    const std::vector<std::uint8_t> labels(bytes.begin() + kHead, bytes.end() - 1);
    require(std::all_of(labels.begin(), labels.end(), [](auto label) { return label < kClasses; }), path,
            ": expected labels below ", kClasses);
    return labels;
}

struct Blob {
    float x, y, radius, height;
};

using Shape = std::vector<Blob>;

// std::*_distribution may differ between libraries; this does not.
float uniform(std::mt19937_64& random, float low, float high) {
    return low + (high - low) * static_cast<float>(random() >> 40) * 0x1p-24f;
}

Shape random_shape(std::mt19937_64& random) {
    Shape shape(kBlobs);
    for (Blob& blob : shape)
        blob = {uniform(random, 5, 23), uniform(random, 5, 23), uniform(random, 2, 6), uniform(random, 90, 230)};
    return shape;
}

void draw(const Shape& shape, std::mt19937_64& random, float* image) {
    std::fill(image, image + kPixels, 0.0f);
    for (const Blob& blob : shape) {
        const float x = blob.x + uniform(random, -2.5f, 2.5f), y = blob.y + uniform(random, -2.5f, 2.5f);
        const float radius = blob.radius * uniform(random, 0.7f, 1.3f);
        for (std::size_t i = 0; i < kPixels; ++i) {
            const std::size_t row = i / kWidth, column = i % kWidth;
            const float dx = static_cast<float>(column) - x, dy = static_cast<float>(row) - y;
            image[i] = std::max(image[i], blob.height * std::exp(-(dx * dx + dy * dy) / (2 * radius * radius)));
        }
    }
    for (std::size_t i = 0; i < kPixels; ++i)
        image[i] = std::round(std::min(255.0f, image[i] + uniform(random, 0, 12)));
}

Matrix<float> draw_all(const std::vector<Shape>& shapes, std::size_t count, std::mt19937_64& random,
                       std::vector<std::uint8_t>& labels) {
    Matrix<float> images(count, kPixels);
    for (std::size_t i = 0; i < count; ++i) {
        labels.push_back(static_cast<std::uint8_t>(random() % shapes.size()));
        draw(shapes[labels.back()], random, images.row(i));
    }
    return images;
}

}  // namespace

DemoData read_demo_images(const std::string& folder) {
    DemoData data{
        .name = "Fashion-MNIST", .description = "greyscale images of clothes, 28 × 28 pixels", .width = kWidth};
    const VectorReader base(idx_file(folder, "train", "images-idx3")), queries(idx_file(folder, "t10k", "images-idx3"));
    require_dimensions(queries, base.columns(), base.path());
    require_dimensions(base, kPixels, "Fashion-MNIST");
    data.base = read_vectors(base.path());
    data.queries = read_vectors(queries.path());
    data.base_labels = read_labels(idx_file(folder, "train", "labels-idx1"), data.base.rows());
    data.query_labels = read_labels(idx_file(folder, "t10k", "labels-idx1"), data.queries.rows());
    data.label_names.assign(std::begin(kClothes), std::end(kClothes));
    return data;
}

DemoData draw_demo_images(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Shape> shapes(kClasses);
    for (Shape& shape : shapes) shape = random_shape(random);
    DemoData data{
        .name = "Generated blobs", .description = "drawn images of ten kinds, 28 × 28 pixels", .width = kWidth};
    data.base = draw_all(shapes, 20'000, random, data.base_labels);
    data.queries = draw_all(shapes, 2'000, random, data.query_labels);
    for (std::size_t i = 0; i < kClasses; ++i) data.label_names.push_back(concatenate("kind ", i + 1));
    return data;
}

}  // namespace summand::cli
