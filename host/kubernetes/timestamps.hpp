/// Points in time as the API writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// RFC 3339, fractions and offsets from UTC included: "2026-11-21T10:50:00Z",
/// "2026-11-21T11:50:00.25+01:00". Years 1900 to 2200.
Result<Time> parse_timestamp(std::string_view written);

/// The same point in UTC, to the nanosecond where it has to be: "2026-11-21T10:50:00.25Z". Nothing
/// outside the years that can be read.
std::optional<std::string> find_timestamp_text(Time time);

/// Nothing when absent or, with a complaint, when it is none.
std::optional<Time> decode_timestamp(const JsonPlace& place);

}  // namespace capstan::kubernetes
