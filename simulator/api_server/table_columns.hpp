/// The columns of each kind's table, and the cells of an object in them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/resource_kinds.hpp"

namespace capstan::simulator::api_server {

struct TableColumn {
    std::string name{};
    std::string type = "string";
    std::function<json::value(const json::object& object, Time now)> cell{};
    int priority = 0;  ///< above zero: kubectl shows the column only with -o wide
};

/// A custom resource has the columns of its definition after its name. A kind without columns of
/// its own has name and age.
std::vector<TableColumn> columns_of(const ResourceKind& kind);

/// The integer at `path`; 0 if there is none.
std::int64_t count_at(const json::object& object, std::string_view path);
/// "a=b,c=d"; "<none>" if there are no labels.
std::string labels_text(const json::object* labels);

}  // namespace capstan::simulator::api_server
