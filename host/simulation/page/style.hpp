/// How a page looks: on a screen, light and dark, and in print without colours.
#pragma once

#include <string_view>

namespace capstan::simulation::page {

std::string_view style_sheet() noexcept;

/// A hidden drawing with the patterns that the style sheet names.
std::string_view patterns() noexcept;

}  // namespace capstan::simulation::page
