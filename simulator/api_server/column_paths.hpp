/// JSON paths of the columns that a CustomResourceDefinition adds to the table of its kind.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/api_server/api_object.hpp"

namespace capstan::simulator::api_server {

/// The values at the JSON path of a custom resource's column: ".spec.replicas",
/// ".status.conditions[?(@.type=='Ready')].status", ".spec.hosts[0]".
std::vector<const json::value*> values_at(const json::object& object, std::string_view path);

}  // namespace capstan::simulator::api_server
