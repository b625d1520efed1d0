#include "summand/text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace summand {
namespace {

std::string rounded(double value, int digits) {
    char text[64];
    const int length = std::snprintf(text, sizeof text, "%.*f", digits, value);
    return {text, static_cast<std::size_t>(length)};
}

std::string pair_text(std::uint64_t large, const char* unit, std::uint64_t small, const char* small_unit) {
    return std::to_string(large) + " " + unit + " " + std::to_string(small) + " " + small_unit;
}

}  // namespace

std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
    return text;
}

std::string bytes_text(double bytes) {
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
    return rounded(bytes, unit == 0 || bytes >= 100 ? 0 : 1) + " " + units[unit];
}

std::string duration(double seconds) {
    if (seconds < 0.9995) return rounded(seconds * 1e3, 0) + " ms";
    if (seconds < 10) return rounded(seconds, 1) + " s";
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) return pair_text(whole / 60, "min", whole % 60, "s");
    return pair_text(whole / 3600, "h", whole % 3600 / 60, "min");
}

double parse_bytes(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || !(value > 0)) return -1;
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit.empty()) return value;
    const std::size_t power = kUnits.find(unit.front());
    unit.remove_prefix(1);
    if (power == std::string_view::npos || !(unit.empty() || unit == "B" || unit == "iB")) return -1;
    return value * std::pow(unit == "iB" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace summand
