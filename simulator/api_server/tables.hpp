/// Objects as rows and columns, for kubectl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"

namespace capstan::simulator::api_server {

/// The part of the object that comes with each row.
enum class RowObject { none, metadata, object };

/// `list_metadata`: the metadata of the list, which become those of the Table.
json::object make_table(const ResourceKind& kind, const std::vector<ApiObject>& objects,
                        json::object list_metadata, std::string_view meta_version,
                        RowObject row_object, Time now);

/// "5m12s", "3d": rounded as kubectl rounds ages.
std::string human_duration(Duration age);
/// The time since a timestamp; "<unknown>" without one.
std::string age_text(std::string_view timestamp, Time now);

/// The values at the JSON path of a custom resource's column: ".spec.replicas",
/// ".status.conditions[?(@.type=='Ready')].status", ".spec.hosts[0]".
std::vector<const json::value*> values_at(const json::object& object, std::string_view path);

/// The PartialObjectMetadata of an object.
json::object metadata_of(const json::object& object, std::string_view meta_version);

}  // namespace capstan::simulator::api_server
