/// How a page looks on a screen, light or dark, and in print without colours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <capstan/time.hpp>

namespace capstan::simulator::page {

std::string_view style_sheet() noexcept;

/// A hidden drawing with the patterns that the style sheet names.
std::string_view patterns() noexcept;

// Coordinates of a drawing, in its own units: one is a pixel in a window 1280 pixels wide.

/// The plot area of a strip: converts times and values to coordinates.
struct Frame {
    static constexpr double drawing_width = 1160, left = 44, right = 1136, top = 8;
    static constexpr double width = right - left;

    Duration span{0};       ///< the time from the left to the right end; more than zero
    int columns = 1;        ///< changes within one column are drawn as one
    double height = 64;     ///< from zero to `peak`
    std::int64_t peak = 1;  ///< the value at the top; more than zero

    double bottom() const noexcept { return top + height; }
    double x(Duration at) const noexcept {
        const double share = static_cast<double>(at.count()) / static_cast<double>(span.count());
        return left + width * std::clamp(share, 0.0, 1.0);
    }
    double y(std::int64_t value) const noexcept {
        const double share = static_cast<double>(value) / static_cast<double>(peak);
        return bottom() - height * std::clamp(share, 0.0, 1.0);
    }
    int column(Duration at) const noexcept {
        return std::min(columns - 1, static_cast<int>((x(at) - left) / width * columns));
    }
};

}  // namespace capstan::simulator::page
