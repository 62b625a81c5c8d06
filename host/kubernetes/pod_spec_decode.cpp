#include "kubernetes/pod_spec_decode.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "kubernetes/host_ports.hpp"
#include "kubernetes/node_selection.hpp"
#include "kubernetes/pod_constraints.hpp"
#include "kubernetes/pod_requests.hpp"
#include "kubernetes/pod_volumes.hpp"

namespace capstan::kubernetes {
namespace {

std::optional<std::int32_t> decode_priority(const JsonPlace& priority) {
    using Priority = std::numeric_limits<std::int32_t>;
    const auto number = priority.integer(Priority::min(), Priority::max());
    return number ? std::optional(static_cast<std::int32_t>(*number)) : std::nullopt;
}

/// As the kubelet takes it: at least a second where it is below nothing.
std::optional<Duration> decode_grace(const JsonPlace& seconds) {
    using Seconds = std::numeric_limits<std::int64_t>;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto number = seconds.integer(Seconds::min(), Seconds::max());
    if (!number) return std::nullopt;
    return std::chrono::seconds(*number < 0 ? 1 : std::min(*number, most));
}

/// What adds up or keeps pods off nodes; false: not all of it could be read.
bool decode_needs(const JsonPlace& spec, engine::PodSpec& out) {
    const Complaints complaints(spec);
    const JsonPlace affinity = spec["affinity"];
    out.requests = decode_pod_requests(spec);
    out.node_selector = spec["nodeSelector"].labels();
    out.pod_affinity = decode_pod_terms(affinity["podAffinity"]);
    out.pod_anti_affinity = decode_pod_terms(affinity["podAntiAffinity"]);
    out.spread = decode_spread(spec["topologySpreadConstraints"]);
    out.has_soft_spread = out.spread.size() < spec["topologySpreadConstraints"].items().size();
    out.ports = decode_host_ports(spec);
    out.local_volumes = decode_local_volumes(spec["volumes"]);
    out.uses_local_storage = !out.local_volumes.empty();
    out.uses_resource_claims = !spec["resourceClaims"].items().empty();
    return !complaints.any();
}

}  // namespace

DecodedPodSpec decode_pod_spec(const JsonPlace& spec) {
    DecodedPodSpec out;
    out.is_complete = decode_needs(spec, out.spec);
    const JsonPlace node_affinity = spec["affinity"]["nodeAffinity"];
    out.spec.affinity_required = decode_required_affinity(node_affinity);
    out.spec.affinity_preferred = decode_preferred_affinity(node_affinity);
    out.spec.tolerations = decode_tolerations(spec["tolerations"]);
    out.spec.priority = decode_priority(spec["priority"]);
    out.spec.priority_class = spec["priorityClassName"].text().value_or("");
    out.spec.termination_grace = decode_grace(spec["terminationGracePeriodSeconds"]);
    out.spec.scheduler = spec["schedulerName"].text().value_or("default-scheduler");
    return out;
}

}  // namespace capstan::kubernetes
