#include "demo_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "tool.h"

namespace summand::cli {
namespace {

constexpr std::size_t kWidth = 28, kPixels = kWidth * kWidth;
constexpr std::size_t kClasses = 10, kBlobs = 5;

std::string image_file(const std::string& folder, const std::string& part) {
    const std::string plain = folder + "/" + part + "-images-idx3-ubyte";
    for (const std::string& path : {plain, plain + ".gz"})
        if (std::filesystem::exists(path)) return path;
    throw Error(concatenate(folder, ": expected ", part, "-images-idx3-ubyte or the same with .gz, found neither"));
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

Matrix<float> draw_all(const std::vector<Shape>& shapes, std::size_t count, std::mt19937_64& random) {
    Matrix<float> images(count, kPixels);
    for (std::size_t i = 0; i < count; ++i) draw(shapes[random() % shapes.size()], random, images.row(i));
    return images;
}

}  // namespace

DemoData read_demo_images(const std::string& folder) {
    DemoData data{
        .name = "Fashion-MNIST", .description = "greyscale images of clothes, 28 × 28 pixels", .width = kWidth};
    const VectorReader base(image_file(folder, "train")), queries(image_file(folder, "t10k"));
    require_dimensions(queries, base.columns(), base.path());
    require_dimensions(base, kPixels, "Fashion-MNIST");
    data.base = read_vectors(base.path());
    data.queries = read_vectors(queries.path());
    return data;
}

DemoData draw_demo_images(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Shape> shapes(kClasses);
    for (Shape& shape : shapes) shape = random_shape(random);
    DemoData data{
        .name = "Generated blobs", .description = "drawn images of ten kinds, 28 × 28 pixels", .width = kWidth};
    data.base = draw_all(shapes, 20'000, random);
    data.queries = draw_all(shapes, 2'000, random);
    return data;
}

}  // namespace summand::cli
