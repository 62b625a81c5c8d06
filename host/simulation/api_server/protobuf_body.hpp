/// Objects that come as protobuf: kubectl from 1.32 on sends its own kinds that way, and does not
/// ask again in JSON where that is refused.
#pragma once

#include <string_view>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/refusal.hpp"

namespace capstan::simulation {

/// The object as JSON would have had it. 415: its kind, or a part of it, is none of those that are
/// known, so that nothing is lost without a word; 400: it is none at all.
Answer<json::object> parse_protobuf_body(std::string_view body);

}  // namespace capstan::simulation
