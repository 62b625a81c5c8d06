/// How a page looks: on a screen, light and dark, and in print without colours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <capstan/time.hpp>

namespace capstan::simulation::page {

std::string_view style_sheet() noexcept;

/// A hidden drawing with the patterns that the style sheet names.
std::string_view patterns() noexcept;

// Where things of a run stand in a drawing, in the drawing's units: one is a pixel at 1280.

/// The part of a strip that is about time, and what its heights mean.
struct Frame {
    static constexpr double drawing_width = 1160, left = 44, right = 1136, top = 8;
    static constexpr double width = right - left;

    Duration span{0};       ///< from the left to the right; more than zero
    int columns = 1;        ///< nothing finer than this is drawn
    double height = 64;     ///< of what is drawn above zero
    std::int64_t peak = 1;  ///< stands at the top; more than zero

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

}  // namespace capstan::simulation::page
