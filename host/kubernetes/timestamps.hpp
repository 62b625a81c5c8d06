/// Points in time as the API writes them.
#pragma once

#include <optional>
#include <string>

#include <capstan/time.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// In UTC, to the nanosecond where it has to be: "2026-11-21T10:50:00.25Z". Nothing outside the
/// years 1900 to 2200, which no object was made in.
std::optional<std::string> find_timestamp_text(Time time);

/// Nothing when absent or, with a complaint, when it is none.
std::optional<Time> decode_timestamp(const JsonCursor& place);

}  // namespace capstan::kubernetes
