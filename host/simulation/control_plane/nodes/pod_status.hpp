/// What a kubelet writes into the status of a pod, step by step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// The kubelet knows of it; its containers are being made.
void set_creating(json::object& pod, std::string_view host_ip, Time now);
/// All containers run and are ready.
void set_running(json::object& pod, std::string_view pod_ip, Time now);
/// They ended, each with that code, and run again.
void set_restarted(json::object& pod, std::int64_t exit_code, Time now);
/// They ended for good: Succeeded or Failed. Containers that never ran end, too.
void set_ended(json::object& pod, std::int64_t exit_code, Time now);
/// Its node tells no more of it.
void set_node_not_ready(json::object& pod, Time now);

/// Always the same for the same number: "10.1.2.3".
std::string pod_address(std::uint32_t number);

}  // namespace capstan::simulation
