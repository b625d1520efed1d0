// Plots as inline SVG: measured series with filled marks, published ones with hollow marks.
#pragma once

#include <string>
#include <vector>

namespace summand::cli {

enum class Scale { linear, logarithmic };

/// Limits are found from the series where low and high are equal.
struct Axis {
    std::string title;
    Scale scale = Scale::linear;
    double low = 0, high = 0;
};

struct PlotPoint {
    double x, y;
    std::string label;  ///< shown when pointed at
};

enum class Marks { filled, hollow };
enum class Line { solid, dashed, none };

struct PlotSeries {
    std::string name;
    std::size_t colour = 0;
    std::vector<PlotPoint> points = {};
    Marks marks = Marks::filled;  ///< hollow: published by others
    Line line = Line::solid;
};

enum class PlotSize { wide, small };

struct Plot {
    std::string title;  ///< empty: none
    Axis x, y;
    std::vector<PlotSeries> series = {};
    PlotSize size = PlotSize::small;
};

std::string svg(const Plot& plot);

/// The names of all series beside their colours.
std::string legend(const std::vector<PlotSeries>& series);

}  // namespace summand::cli
