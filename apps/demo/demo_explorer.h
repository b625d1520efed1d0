// The page of the demo that searches: all images, each method's codes of them, and some queries with their true
// neighbours.
#pragma once

#include <string>
#include <vector>

#include "demo_data.h"
#include "demo_page.h"
#include "summand/index.h"

namespace summand::cli {

/// A method as the page offers it.
struct DemoIndex {
    std::string name;
    Index index;
};

/// The exact scan, as it was measured.
struct ExactScan {
    double queries_per_second = 0;
};

/// Words and centre rounded to whole grey values, and the rotation to steps of 2⁻¹²: the page that carries them is
/// smaller, and what is lost is far below the error of a code. Codes must be made by the rounded model.
Quantizer rounded(Quantizer model);

void save_explorer(const std::string& path, const DemoData& data, MatrixView<std::int64_t> truth,
                   const std::vector<DemoIndex>& indexes, const std::vector<Report>& reports, const ExactScan& exact);

}  // namespace summand::cli
