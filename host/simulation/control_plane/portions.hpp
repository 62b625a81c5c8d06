/// Numbers that may be written as a share, "25%" or 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

enum class Rounding { up, down };

/// Nothing: absent, or neither. Never below zero.
///     {"maxSurge": "25%"}, of 5, up  ->  2
std::optional<std::int64_t> portion_at(const json::object& object, std::string_view path,
                                       std::int64_t of, Rounding rounding);

}  // namespace capstan::simulation
