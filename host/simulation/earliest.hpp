/// The next of several moments that may never come.
#pragma once

#include <algorithm>
#include <optional>

#include <capstan/time.hpp>

namespace capstan::simulation {

/// Nothing: neither comes.
inline std::optional<Time> earliest(std::optional<Time> a, std::optional<Time> b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

}  // namespace capstan::simulation
