/// The nouns of a request: GROUP and TEMPLATE.
#pragma once

#include <optional>
#include <vector>

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

/// {"cpu":"4"}: what there is of each resource. DaemonSets may want more than there is, so what is
/// free may be below zero.
Resources decode_resources(const kubernetes::JsonPlace& place, bool may_be_negative = false);
/// [{"key","value","effect"}]
std::vector<Taint> decode_taints(const kubernetes::JsonPlace& place);
/// Per hour, 0 or more; nothing where none is given.
std::optional<double> decode_price(const kubernetes::JsonPlace& place);

}  // namespace capstan::commands
