/// The cells of a table's row, for each kind that has columns of its own.
#pragma once

#include <string>
#include <string_view>

#include "simulator/api_server/tables.hpp"

namespace capstan::simulator::api_server {

json::array node_cells(const json::object& node, Time now);
json::array pod_cells(const json::object& pod, Time now);
json::array deployment_cells(const json::object& deployment, Time now);
json::array replica_set_cells(const json::object& set, Time now);
json::array stateful_set_cells(const json::object& set, Time now);
json::array daemon_set_cells(const json::object& set, Time now);
json::array job_cells(const json::object& job, Time now);
json::array autoscaler_cells(const json::object& autoscaler, Time now);
json::array cron_job_cells(const json::object& job, Time now);
json::array ingress_cells(const json::object& ingress, Time now);
json::array network_policy_cells(const json::object& policy, Time now);
json::array volume_cells(const json::object& volume, Time now);
json::array scale_cells(const json::object& scale, Time now);

/// The text at `path`; `otherwise` if there is none.
json::value text_or(const json::object& object, std::string_view path, std::string_view otherwise);
std::int64_t count_at(const json::object& object, std::string_view path);
json::value name_cell(const json::object& object);
json::value age_cell(const json::object& object, Time now);
/// "a=b,c=d"; "<none>" if there are no labels.
std::string labels_text(const json::object* labels);

}  // namespace capstan::simulator::api_server
