/// Balancers of a live cluster: as objects, and as lines of the output.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "simulator/api_server/api_object.hpp"
#include "simulator/live/manifests.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator::live {

inline constexpr std::string_view balancers_resource = "balancers.balancer.x-k8s.io";

/// `kind_of`: the kind of the object that a target names. The scenario's times are divided by
/// `speed`.
Manifest make_balancer_manifest(const SharedReplicas& shared,
                                const std::function<std::string(const std::string&)>& kind_of,
                                double speed);

/// "balancer web: 10 wanted, web-a 6 of 6 ready, web-b 4 of 4 ready"; empty: the Balancer has no
/// status yet.
std::string text_of_balancer(const json::object& balancer);

}  // namespace capstan::simulator::live
