// The page of the demo: one file with its style, plot and pictures inside.
#pragma once

#include <string>
#include <vector>

#include "demo_data.h"
#include "summand/evaluate.h"

namespace summand::cli {

/// A query and what was found for it.
struct GalleryRow {
    std::size_t query = 0;
    std::vector<std::int64_t> found;         ///< best first
    std::vector<std::int64_t> true_nearest;  ///< the true neighbours that count as right answers
};

struct DemoPage {
    const DemoData& data;
    std::vector<Report> reports;
    std::string gallery_method;
    std::vector<GalleryRow> gallery;
};

std::string html(const DemoPage& demo);

}  // namespace summand::cli
