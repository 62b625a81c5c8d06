/// Objects as rows and columns, for kubectl.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"

namespace capstan::simulator::api_server {

struct TableColumn {
    std::string name{};
    std::string type = "string";
    int priority = 0;  ///< above zero: kubectl shows the column only with -o wide
};

/// A kind's columns, and the cells of a row.
struct TableLayout {
    std::vector<TableColumn> columns{};
    json::array (*cells)(const json::object& object, Time now) = nullptr;
};

/// NULL: the kind has no layout of its own; its table has name and age.
const TableLayout* find_layout(const ResourceKind& kind);

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

/// The PartialObjectMetadata of an object.
json::object metadata_of(const json::object& object, std::string_view meta_version);

}  // namespace capstan::simulator::api_server
