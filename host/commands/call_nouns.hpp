/// The nouns of a request: GROUP and TEMPLATE.
#pragma once

#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>

#include "kubernetes/json_place.hpp"

namespace capstan::commands {

/// {"id":"web","min":0,"max":10,"target":1,"tags":{}}; only the id is required.
NodeGroup decode_group(const kubernetes::JsonPlace& place);

/// What capacity and allocatable state is not below zero.
/// {"name":"web","labels":{},"annotations":{},"taints":[{"key","value","effect"}],"capacity":{"cpu":"4"},
/// "allocatable":{},"free":{}}, and machine_type, zone, arch and os, which default to what the
/// well-known labels say.
NodeTemplate decode_template(const kubernetes::JsonPlace& place);

}  // namespace capstan::commands
