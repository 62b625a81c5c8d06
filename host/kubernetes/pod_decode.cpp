#include "kubernetes/pod_decode.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/metadata.hpp"
#include "kubernetes/owners.hpp"
#include "kubernetes/pod_spec_decode.hpp"
#include "kubernetes/pod_volumes.hpp"

namespace capstan::kubernetes {
namespace {

using engine::PodObject;
using engine::PodPhase;

PodPhase decode_phase(const JsonPlace& phase) {
    constexpr std::pair<std::string_view, PodPhase> phases[] = {{"Pending", PodPhase::pending},
                                                                {"Running", PodPhase::running},
                                                                {"Succeeded", PodPhase::succeeded},
                                                                {"Failed", PodPhase::failed},
                                                                {"Unknown", PodPhase::unknown}};
    const Complaints complaints(phase);
    const std::string_view text = phase.text().value_or("Pending");
    for (const auto& [name, known] : phases) {
        if (text == name && !complaints.any()) return known;
    }
    if (!complaints.any()) phase.expects("Pending, Running, Succeeded, Failed or Unknown");
    return PodPhase::unknown;
}

/// Why the scheduler has not placed the pod; empty: it has, or has not looked at it yet.
std::string decode_unscheduled_reason(const JsonPlace& conditions) {
    for (const JsonPlace& condition : conditions.items()) {
        if (condition["type"].text() != "PodScheduled") continue;
        if (condition["status"].text() != "False") return {};
        return std::string(condition["reason"].text().value_or(""));
    }
    return {};
}

void decode_pod_status(const JsonPlace& status, PodObject& out) {
    out.phase = decode_phase(status["phase"]);
    out.nominated_node = status["nominatedNodeName"].text().value_or("");
    out.unscheduled_reason = decode_unscheduled_reason(status["conditions"]);
}

/// What the spec says of this one pod alone.
bool decode_own_spec(const JsonPlace& spec, PodObject& out) {
    const Complaints complaints(spec);
    out.claims = decode_claims(spec["volumes"], out.name);
    out.node_name = spec["nodeName"].text().value_or("");
    out.gated = !spec["schedulingGates"].items().empty();
    return !complaints.any();
}

}  // namespace

DecodedPod decode_pod_object(const JsonPlace& pod) {
    ObjectMetadata metadata = decode_metadata(pod["metadata"]);
    DecodedPodSpec spec = decode_pod_spec(pod["spec"]);
    DecodedPod out{.pod = {.ns = std::move(metadata.ns),
                           .name = std::move(metadata.name),
                           .uid = std::move(metadata.uid),
                           .spec = std::move(spec.spec),
                           .labels = std::move(metadata.labels),
                           .annotations = std::move(metadata.annotations),
                           .owner = decode_owner(pod["metadata"]["ownerReferences"]),
                           .deleted = metadata.deleted,
                           .created = metadata.created}};
    decode_pod_status(pod["status"], out.pod);
    const bool own = decode_own_spec(pod["spec"], out.pod);
    out.is_complete = own && spec.is_complete && metadata.is_identified;
    return out;
}

PodEquivalenceGroup decode_pod(const JsonPlace& pod) {
    engine::PodObject object = std::move(decode_pod_object(pod).pod);
    engine::PodSpec& spec = object.spec;
    return {.ns = std::move(object.ns),
            .example = std::move(object.name),
            .owner_kind = std::move(object.owner.kind),
            .owner_name = std::move(object.owner.name),
            .scheduler = std::move(spec.scheduler),
            .requests = std::move(spec.requests),
            .labels = std::move(object.labels),
            .annotations = std::move(object.annotations),
            .node_selector = std::move(spec.node_selector),
            .affinity_required = std::move(spec.affinity_required),
            .affinity_preferred = std::move(spec.affinity_preferred),
            .tolerations = std::move(spec.tolerations),
            .priority = spec.priority.value_or(0)};
}

}  // namespace capstan::kubernetes
