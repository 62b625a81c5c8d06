/// A guard in front of the TOML parser, which builds and frees dotted keys without a limit of its
/// own: a file that is one key of 200,000 dots would end the process.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/config/document.hpp"

namespace capstan::runtime {

/// Levels one key may have, and levels brackets may have.
inline constexpr int max_nesting = 32;

/// Where `text` first goes deeper than `max_nesting`; nothing when it never does. Understands
/// strings and comments, and is safe on any bytes.
std::optional<Place> find_deep_nesting(std::string_view text);

}  // namespace capstan::runtime
