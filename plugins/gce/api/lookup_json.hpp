/// What compute writes of machine types and images.
#pragma once

#include <capstan/json.hpp>
#include <capstan/result.hpp>

#include "machine_types.hpp"

namespace capstan::gce {

/// `unavailable`: it is none, with the field that says so.
Result<GceMachineType> read_machine_type(const Json& json);
Result<GceImage> read_image(const Json& json);

}  // namespace capstan::gce
