/// What controllers ask of nodes.
#pragma once

#include <optional>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

bool is_node_ready(const json::object& node);
/// Its kubelet was told to fall silent.
bool is_kubelet_stopped(const json::object& node);
/// Empty: it has none of that type.
std::string_view node_address(const json::object& node, std::string_view type);

/// NULL: it has none such.
const json::object* find_taint(const json::object& node, std::string_view key,
                               std::string_view effect);
/// Sets or takes away a taint of that key and effect; a new one says when it came.
void set_taint(json::object& node, std::string_view key, std::string_view effect, bool is_wanted,
               Time now);
/// For how long a pod bears a taint, by the least patient of its tolerations for it: zero when it
/// has none. Nothing: for ever.
std::optional<Duration> patience(const json::object& pod, const json::object& taint);

}  // namespace capstan::simulation
