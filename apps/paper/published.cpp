#include "published.h"

#include <algorithm>

namespace summand::cli {
namespace {

constexpr const char *kSift = "1M SIFT", *kGist = "1M GIST";

// Tables 1, 2, 4 and 5; where a method is in two of them, the figure with more digits.
constexpr PublishedRecall kRecalls[] = {
    {kSift, 32, "AQ", {0.10, 0.37, 0.76}},       {kSift, 32, "OTQ", {0.09, 0.32, 0.73}},
    {kSift, 64, "AQ", {0.31, 0.75, 0.97}},       {kSift, 64, "OTQ", {0.32, 0.75, 0.97}},
    {kSift, 64, "AQ-e", {0.25, 0.69, 0.96}},     {kSift, 32, "CKM", {0.069, 0.277, 0.665}},
    {kSift, 32, "OCQ", {0.070, 0.284, 0.670}},   {kSift, 32, "NOCQ", {0.073, 0.295, 0.704}},
    {kSift, 64, "CKM", {0.245, 0.638, 0.945}},   {kSift, 64, "OCQ", {0.247, 0.643, 0.942}},
    {kSift, 64, "NOCQ", {0.290, 0.715, 0.970}},  {kSift, 128, "CKM", {0.466, 0.903, 0.998}},
    {kSift, 128, "OCQ", {0.469, 0.905, 0.997}},  {kSift, 128, "NOCQ", {0.540, 0.957, 1.0}},
    {kSift, 32, "CQ", {0.110, 0.374, 0.775}},    {kSift, 32, "CQ-d", {0.028, 0.129, 0.417}},
    {kSift, 64, "CQ", {0.337, 0.769, 0.984}},    {kSift, 64, "CQ-d", {0.117, 0.388, 0.753}},
    {kSift, 64, "CQ-c", {0.110, 0.374, 0.775}},  {kSift, 128, "CQ", {0.566, 0.968, 1.000}},
    {kSift, 128, "CQ-d", {0.195, 0.520, 0.856}}, {kSift, 128, "CQ-c", {0.463, 0.909, 0.999}},
    {kGist, 32, "CQ", {0.063, 0.181, 0.454}},    {kGist, 32, "CQ-d", {0, 0.002, 0.006}},
    {kGist, 32, "NOCQ", {0.064, 0.173, 0.416}},  {kGist, 64, "CQ", {0.131, 0.380, 0.742}},
    {kGist, 64, "CQ-d", {0, 0.003, 0.007}},      {kGist, 64, "CQ-c", {0.063, 0.181, 0.454}},
    {kGist, 64, "NOCQ", {0.140, 0.378, 0.730}},  {kGist, 128, "CQ", {0.232, 0.628, 0.948}},
    {kGist, 128, "CQ-d", {0.027, 0.080, 0.226}}, {kGist, 128, "CQ-c", {0.205, 0.524, 0.876}},
    {kGist, 128, "NOCQ", {0.215, 0.631, 0.930}}, {kSift, 32, "QAV", {0.018, 0.099, 0.339}},
    {kSift, 64, "QAV", {0.103, 0.355, 0.731}},   {kSift, 128, "QAV", {0.275, 0.704, 0.966}},
    {kGist, 32, "QAV", {0.016, 0.102, 0.304}},   {kGist, 64, "QAV", {0.059, 0.248, 0.581}},
    {kGist, 128, "QAV", {0.164, 0.457, 0.842}},  {kSift, 64, "PQ", {-1, 0.6045, -1}},
};

struct PublishedFigure {
    const char* set;
    std::size_t bits;
    const char* method;
    double value;
};

// Table 3, each sum over a million vectors divided by their number.
constexpr PublishedFigure kDistortions[] = {
    {kSift, 32, "CQ", 2.94e4},  {kSift, 32, "NOCQ", 3.09e4},  {kGist, 32, "CQ", 0.819},  {kGist, 32, "NOCQ", 0.846},
    {kSift, 64, "CQ", 1.54e4},  {kSift, 64, "NOCQ", 1.65e4},  {kGist, 64, "CQ", 0.639},  {kGist, 64, "NOCQ", 0.663},
    {kSift, 128, "CQ", 6.09e3}, {kSift, 128, "NOCQ", 6.66e3}, {kGist, 128, "CQ", 0.469}, {kGist, 128, "NOCQ", 0.486},
};

// The text beside the figure of MAP.
constexpr PublishedFigure kPrecisions[] = {
    {kSift, 64, "PQ", 0.417},
    {kSift, 64, "CKM", 0.447},
    {kSift, 64, "NOCQ", 0.51},
};

// Table 7.
constexpr PublishedMultiIndex kMultiIndex[] = {
    {64, 10'000, "PQ", {0.158, 0.479, 0.713}, 6.2, 4.1},
    {64, 10'000, "CKM", {0.181, 0.525, 0.751}, 11.9, 4.6},
    {64, 10'000, "NOCQ", {0.195, 0.558, 0.765}, 15.7, 7.1},
    {64, 10'000, "SNOCQ1", {0.184, 0.53, 0.736}, 7.3, 4.3},
    {64, 10'000, "SNOCQ2", {0.191, 0.546, 0.754}, 8.6, 4.5},
    {64, 30'000, "PQ", {0.172, 0.507, 0.814}, 13.2, 9.8},
    {64, 30'000, "CKM", {0.193, 0.556, 0.851}, 30.3, 10.1},
    {64, 30'000, "NOCQ", {0.2, 0.597, 0.869}, 42.6, 12.9},
    {64, 30'000, "SNOCQ1", {0.192, 0.571, 0.849}, 15.8, 9.9},
    {64, 30'000, "SNOCQ2", {0.198, 0.586, 0.86}, 19.9, 10.0},
    {64, 100'000, "PQ", {0.173, 0.517, 0.862}, 37.4, 30.5},
    {64, 100'000, "CKM", {0.195, 0.568, 0.892}, 95.8, 31.6},
    {64, 100'000, "NOCQ", {0.204, 0.612, 0.92}, 125.9, 33.4},
    {64, 100'000, "SNOCQ1", {0.194, 0.584, 0.903}, 43.7, 30.9},
    {64, 100'000, "SNOCQ2", {0.199, 0.597, 0.907}, 58.6, 31.2},
    {128, 10'000, "PQ", {0.312, 0.673, 0.739}, 7.0, 5.5},
    {128, 10'000, "CKM", {0.357, 0.718, 0.772}, 12.4, 5.8},
    {128, 10'000, "NOCQ", {0.379, 0.738, 0.781}, 29.0, 7.9},
    {128, 10'000, "SNOCQ1", {0.347, 0.702, 0.755}, 8.2, 5.6},
    {128, 10'000, "SNOCQ2", {0.368, 0.725, 0.773}, 9.5, 5.7},
    {128, 30'000, "PQ", {0.337, 0.765, 0.883}, 15.8, 14.1},
    {128, 30'000, "CKM", {0.38, 0.811, 0.903}, 32.7, 14.4},
    {128, 30'000, "NOCQ", {0.404, 0.833, 0.906}, 76.4, 16.8},
    {128, 30'000, "SNOCQ1", {0.372, 0.802, 0.89}, 18.9, 14.3},
    {128, 30'000, "SNOCQ2", {0.392, 0.821, 0.904}, 25.8, 14.4},
    {128, 100'000, "PQ", {0.345, 0.809, 0.964}, 48.7, 43.3},
    {128, 100'000, "CKM", {0.389, 0.848, 0.97}, 107.6, 44.9},
    {128, 100'000, "NOCQ", {0.413, 0.877, 0.975}, 242.3, 47.3},
    {128, 100'000, "SNOCQ1", {0.381, 0.852, 0.969}, 59.3, 43.6},
    {128, 100'000, "SNOCQ2", {0.401, 0.858, 0.971}, 77.4, 43.9},
};

struct PublishedObjects {
    const char* set;
    std::size_t bits;
    double values[4];  // in the order of kObjectMethods
};

constexpr const char* kObjectMethods[] = {"ITQ", "PQ", "CKM", "NOCQ"};

// Tables 8 and 9.
constexpr PublishedObjects kObjects[] = {
    {"Holidays, Fisher", 32, {0.413, 0.504, 0.537, 0.55}},   {"Holidays, Fisher", 64, {0.533, 0.548, 0.578, 0.622}},
    {"Holidays, Fisher", 128, {0.588, 0.579, 0.598, 0.634}}, {"Holidays, VLAD", 32, {0.438, 0.513, 0.545, 0.578}},
    {"Holidays, VLAD", 64, {0.537, 0.574, 0.598, 0.632}},    {"Holidays, VLAD", 128, {0.607, 0.586, 0.609, 0.644}},
    {"UKBench, Fisher", 32, {2.116, 2.203, 2.606, 2.74}},    {"UKBench, Fisher", 64, {2.632, 2.618, 2.894, 3.009}},
    {"UKBench, Fisher", 128, {2.881, 2.851, 3.039, 3.154}},  {"UKBench, VLAD", 32, {2.093, 2.214, 2.631, 2.746}},
    {"UKBench, VLAD", 64, {2.617, 2.629, 2.925, 3.046}},     {"UKBench, VLAD", 128, {2.895, 2.878, 3.069, 3.185}},
};

template <class Row>
const Row* row_of(std::span<const Row> rows, const std::string& set, std::size_t bits, const std::string& method) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
        return set == row.set && bits == row.bits && method == row.method;
    });
    return found == rows.end() ? nullptr : &*found;
}

std::optional<double> value_of(std::span<const PublishedFigure> rows, const std::string& set, std::size_t bits,
                               const std::string& method) {
    const PublishedFigure* row = row_of(rows, set, bits, method);
    return row ? std::optional(row->value) : std::nullopt;
}

}  // namespace

std::optional<PublishedRecall> published_recall(const std::string& set, std::size_t bits, const std::string& method) {
    const PublishedRecall* row = row_of<PublishedRecall>(kRecalls, set, bits, method);
    return row ? std::optional(*row) : std::nullopt;
}

std::string published_beside(const std::string& set) { return set == kGist ? kGist : kSift; }

std::optional<double> published_distortion(const std::string& set, std::size_t bits, const std::string& method) {
    return value_of(kDistortions, set, bits, method);
}

std::optional<double> published_precision(const std::string& set, std::size_t bits, const std::string& method) {
    return value_of(kPrecisions, set, bits, method);
}

std::optional<PublishedMultiIndex> published_multi_index(std::size_t bits, std::size_t candidates,
                                                         const std::string& method) {
    const auto found = std::find_if(std::begin(kMultiIndex), std::end(kMultiIndex), [&](const auto& row) {
        return bits == row.bits && candidates == row.candidates && method == row.method;
    });
    return found == std::end(kMultiIndex) ? std::nullopt : std::optional(*found);
}

std::optional<double> published_retrieval(const std::string& set, std::size_t bits, const std::string& method) {
    const auto row = std::find_if(std::begin(kObjects), std::end(kObjects),
                                  [&](const auto& one) { return set == one.set && bits == one.bits; });
    const auto column = std::find(std::begin(kObjectMethods), std::end(kObjectMethods), method);
    if (row == std::end(kObjects) || column == std::end(kObjectMethods)) return {};
    return row->values[column - std::begin(kObjectMethods)];
}

}  // namespace summand::cli
