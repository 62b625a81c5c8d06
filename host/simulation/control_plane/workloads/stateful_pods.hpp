/// The pods of a StatefulSet: their numbers, their claims.
#pragma once

#include <cstdint>
#include <optional>

#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation {

/// 3 of "web-3"; nothing: no pod of the set's naming.
std::optional<std::int64_t> find_ordinal(const json::object& set, const json::object& pod);
/// "web-3", with its volumes for the claims of the set's templates.
json::object make_stateful_pod(const Workload& set, std::int64_t ordinal,
                               std::string_view revision_hash);
/// The claims of that pod, as far as they are missing; they stay when the pod goes.
void make_claims(ControlContext& context, const Workload& set, std::int64_t ordinal);

}  // namespace capstan::simulation
