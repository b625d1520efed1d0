#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

constexpr double kMostTicks = 7;

struct Frame {
    double width, height;  // of the whole drawing
    double left = 64, top, right = 22, bottom = 58;
    Axis x, y;

    double inner_width() const { return width - left - right; }
    double inner_height() const { return height - top - bottom; }
};

double share(const Axis& axis, double value) {
    if (axis.scale == Scale::linear) return (value - axis.low) / (axis.high - axis.low);
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

double across(const Frame& frame, double x) { return frame.left + frame.inner_width() * share(frame.x, x); }
double down(const Frame& frame, double y) { return frame.top + frame.inner_height() * (1 - share(frame.y, y)); }

double step_of(const Axis& axis) {
    const double rough = (axis.high - axis.low) / kMostTicks, decade = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * decade >= rough) return factor * decade;
    return 10 * decade;
}

std::vector<double> logarithmic_ticks(const Axis& axis, std::initializer_list<double> factors) {
    std::vector<double> ticks;
    const auto power = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
    for (int decade = power(axis.low); decade <= power(axis.high); ++decade)
        for (const double factor : factors) {
            const double tick = factor * std::pow(10, decade);
            if (tick >= axis.low * 0.999 && tick <= axis.high * 1.001) ticks.push_back(tick);
        }
    return ticks;
}

std::vector<double> ticks_of(const Axis& axis) {
    std::vector<double> ticks;
    if (axis.scale == Scale::logarithmic) ticks = logarithmic_ticks(axis, {1, 2, 5});
    if (static_cast<double>(ticks.size()) > kMostTicks + 1) return logarithmic_ticks(axis, {1});
    if (ticks.size() > 2) return ticks;
    ticks.clear();
    const double step = step_of(axis), first = std::ceil(axis.low / step - 1e-9);
    for (double i = first; i * step <= axis.high + 1e-9 * step; ++i) ticks.push_back(i * step);
    return ticks;
}

std::string number(double value) {
    const double size = std::abs(value);
    if (size >= 1e9) return fmt::format("{:g}G", value / 1e9);
    if (size >= 1e6) return fmt::format("{:g}M", value / 1e6);
    if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
    return fmt::format("{:.4g}", size < 1e-12 ? 0.0 : value);
}

// Limits that hold every point, with some room.
Axis fitted(Axis axis, const std::vector<PlotSeries>& series, double PlotPoint::*coordinate) {
    if (axis.low != axis.high) return axis;
    axis.low = INFINITY, axis.high = -INFINITY;
    for (const PlotSeries& one : series)
        for (const PlotPoint& point : one.points) {
            axis.low = std::min(axis.low, point.*coordinate);
            axis.high = std::max(axis.high, point.*coordinate);
        }
    if (!std::isfinite(axis.low) || !std::isfinite(axis.high)) axis.low = axis.high = 1;
    if (axis.scale == Scale::logarithmic) {
        const double room = std::pow(axis.high / axis.low, 0.06) * 1.02;
        return {axis.title, axis.scale, axis.low / room, axis.high * room};
    }
    const double room = axis.high > axis.low ? 0.08 * (axis.high - axis.low) : std::max(0.1, 0.1 * std::abs(axis.low));
    return {axis.title, axis.scale, axis.low >= 0 ? std::max(0.0, axis.low - room) : axis.low - room, axis.high + room};
}

std::string line(double x1, double y1, double x2, double y2) {
    return fmt::format(R"(<line class="grid" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", x1, y1, x2, y2);
}

std::string words(double x, double y, const char* anchor, const std::string& text, const char* attributes = "") {
    return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, attributes,
                       escaped(text));
}

std::string axes(const Frame& frame) {
    const double right = frame.width - frame.right, bottom = frame.height - frame.bottom;
    std::string text;
    for (const double tick : ticks_of(frame.y)) {
        text += line(frame.left, down(frame, tick), right, down(frame, tick));
        text += words(frame.left - 9, down(frame, tick) + 4, "end", number(tick));
    }
    for (const double tick : ticks_of(frame.x)) {
        text += line(across(frame, tick), frame.top, across(frame, tick), bottom);
        text += words(across(frame, tick), bottom + 20, "middle", number(tick));
    }
    text += words(frame.left + frame.inner_width() / 2, bottom + 44, "middle", frame.x.title);
    if (!frame.y.title.empty()) text += words(4, frame.top - 12, "start", frame.y.title);
    return text + "\n";
}

std::string drawn(const Frame& frame, const PlotSeries& series) {
    std::string points, marks;
    const std::string ink = colour(series.colour);
    const bool hollow = series.marks == Marks::hollow;
    for (const PlotPoint& point : series.points) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
        const double x = across(frame, point.x), y = down(frame, point.y);
        points += fmt::format("{:.1f},{:.1f} ", x, y);
        marks += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" {}="{}"{}><title>{}</title></circle>)", x, y,
                             hollow ? 5.5 : 4.0, hollow ? "stroke" : "fill", ink, hollow ? R"( class="hollow")" : "",
                             escaped(point.label));
    }
    if (series.line == Line::none) return marks + "\n";
    return fmt::format("<polyline class=\"curve\" stroke=\"{}\"{} points=\"{}\"/>{}\n", ink,
                       series.line == Line::dashed ? R"( stroke-dasharray="6 5")" : "", points, marks);
}

}  // namespace

std::string svg(const Plot& plot) {
    const bool wide = plot.size == PlotSize::wide;
    const double top = 14 + (plot.title.empty() ? 0 : 24) + (plot.y.title.empty() ? 0 : 24);
    const Frame frame{.width = wide ? 760.0 : 500.0,
                      .height = (wide ? 400.0 : 330.0) + (top - 14) / 2,
                      .top = top,
                      .x = fitted(plot.x, plot.series, &PlotPoint::x),
                      .y = fitted(plot.y, plot.series, &PlotPoint::y)};
    std::string text =
        fmt::format(R"(<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">)", wide ? "wide" : "small",
                    frame.width, frame.height, escaped(plot.title.empty() ? plot.x.title : plot.title));
    if (!plot.title.empty()) text += words(4, 18, "start", plot.title, R"( class="name")");
    text += axes(frame);
    for (const PlotSeries& series : plot.series) text += drawn(frame, series);
    return text + "</svg>";
}

std::string legend(const std::vector<PlotSeries>& series) {
    std::string text = "<ul class=\"legend\">";
    for (const PlotSeries& one : series) {
        const std::string mark =
            one.marks == Marks::hollow
                ? fmt::format(R"(<span class="swatch ring" style="border-color:{}"></span>)", colour(one.colour))
                : swatch(one.colour);
        text += fmt::format("<li>{}{}</li>", mark, escaped(one.name));
    }
    return text + "</ul>";
}

}  // namespace summand::cli
