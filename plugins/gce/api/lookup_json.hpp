/// Parses machine types and images of compute's answers.
#pragma once

#include <capstan/json.hpp>
#include <capstan/result.hpp>

#include "machine_types.hpp"

namespace capstan::gce {

/// `unavailable`: names the field that is missing or malformed.
Result<GceMachineType> read_machine_type(const Json& json);
Result<GceImage> read_image(const Json& json);

}  // namespace capstan::gce
