#include "paper/published.h"

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

}  // namespace summand::cli
