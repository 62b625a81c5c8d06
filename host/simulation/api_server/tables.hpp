/// Objects as rows and columns, the way kubectl shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"

namespace capstan::simulation::api_server {

struct TableColumn {
    std::string name{};
    std::string type = "string";
    int priority = 0;  ///< above zero: with -o wide only
};

/// A kind's columns and what stands in them.
struct TableLayout {
    std::vector<TableColumn> columns{};
    json::array (*cells)(const json::object& object, Time now) = nullptr;
};

/// NULL: the kind has none of its own, but name and age.
const TableLayout* find_layout(const ResourceKind& kind);

/// What comes beside the rows of a whole object: nothing, its metadata or all of it.
enum class RowObject { none, metadata, object };

/// `list_metadata`: as a list has it.
json::object make_table(const ResourceKind& kind, const std::vector<ApiObject>& objects,
                        json::object list_metadata, std::string_view meta_version,
                        RowObject row_object, Time now);

/// "5m12s", "3d": as long as people want to read it.
std::string human_duration(Duration age);
/// Since a timestamp; "<unknown>" without one.
std::string age_text(std::string_view timestamp, Time now);

/// Metadata alone, under the kind PartialObjectMetadata.
json::object metadata_of(const json::object& object, std::string_view meta_version);

/// The values that a path of a custom resource's column leads to: ".spec.replicas",
/// ".status.conditions[?(@.type=='Ready')].status", ".spec.hosts[0]".
std::vector<const json::value*> values_at(const json::object& object, std::string_view path);

}  // namespace capstan::simulation::api_server
