/// Points in time as the API writes them.
#pragma once

#include <optional>
#include <string>

#include <capstan/time.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// RFC 3339 in UTC, with as many decimals as needed, up to nanoseconds: "2026-11-21T10:50:00.25Z".
/// Absent: the time is outside the years 1900 to 2200.
std::optional<std::string> find_timestamp_text(Time time);

/// Absent: not set; or malformed, which is a problem.
std::optional<Time> decode_timestamp(const JsonCursor& place);

}  // namespace capstan::kubernetes
