#include "kubernetes/objects/pod_decode.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/metadata.hpp"
#include "kubernetes/objects/in_tree_volumes.hpp"
#include "kubernetes/objects/object_kinds.hpp"
#include "kubernetes/resource_list.hpp"
#include "kubernetes/selectors.hpp"

namespace capstan::kubernetes::objects {

namespace {

std::string decode_group(const JsonCursor& reference) {
    return std::string(group_of(reference["apiVersion"].text().value_or("")));
}

bool is_job(const JsonCursor& reference) {
    return reference["kind"].text() == "Job" && decode_group(reference) == "batch";
}

}  // namespace

engine::snapshot::PodOwner decode_owner(const JsonCursor& references) {
    engine::snapshot::PodOwner out;
    bool found = false;
    for (const JsonCursor& reference : references.items()) {
        out.job_among_owners = out.job_among_owners || is_job(reference);
        if (found || !reference["controller"].boolean().value_or(false)) continue;
        found = true;
        out.kind = decode_text(reference["kind"]);
        out.api_group = decode_group(reference);
        out.name = decode_text(reference["name"]);
        out.uid = decode_text(reference["uid"]);
    }
    return out;
}
namespace {

int decode_port(const JsonCursor& port) {
    return static_cast<int>(port.integer(0, 65535).value_or(0));
}

void add_ports(const JsonCursor& container, bool host_network,
               std::vector<engine::snapshot::HostPort>& out) {
    for (const JsonCursor& place : container["ports"].items()) {
        int port = decode_port(place["hostPort"]);
        if (port == 0 && host_network) port = decode_port(place["containerPort"]);
        if (port == 0) continue;
        out.push_back({.ip = std::string(place["hostIP"].text().value_or("")),
                       .protocol = std::string(place["protocol"].text().value_or("TCP")),
                       .port = port});
    }
}

}  // namespace

std::vector<engine::snapshot::HostPort> decode_host_ports(const JsonCursor& spec) {
    const bool host_network = spec["hostNetwork"].boolean().value_or(false);
    std::vector<engine::snapshot::HostPort> out;
    for (const JsonCursor& container : spec["containers"].items())
        add_ports(container, host_network, out);
    for (const JsonCursor& container : spec["initContainers"].items()) {
        if (is_sidecar(container)) add_ports(container, host_network, out);
    }
    return out;
}

namespace {

bool is_local(const JsonCursor& volume) {
    if (volume["hostPath"]) return true;
    const JsonCursor empty_dir = volume["emptyDir"];
    return empty_dir && empty_dir["medium"].text() != "Memory";
}

}  // namespace

std::vector<std::string> decode_local_volumes(const JsonCursor& volumes) {
    std::vector<std::string> out;
    for (const JsonCursor& volume : volumes.items()) {
        if (is_local(volume)) out.emplace_back(volume["name"].text().value_or(""));
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> decode_claims(const JsonCursor& volumes, std::string_view pod) {
    std::vector<std::string> out;
    for (const JsonCursor& volume : volumes.items()) {
        if (const JsonCursor claim = volume["persistentVolumeClaim"]) {
            out.emplace_back(claim.required("claimName").name().value_or(""));
        } else if (volume["ephemeral"]) {
            const auto name = volume.required("name").name();
            out.push_back(std::string(pod) + "-" + std::string(name.value_or("")));
        }
    }
    return out;
}

namespace {

std::string decode_topology_key(const JsonCursor& holder) {
    return std::string(holder.required("topologyKey").name().value_or(""));
}

engine::snapshot::PodTerm decode_pod_term(const JsonCursor& term) {
    return {.selector = decode_label_selector(term["labelSelector"]),
            .namespaces = decode_texts(term["namespaces"]),
            .namespace_selector = decode_label_selector(term["namespaceSelector"]),
            .topology_key = decode_topology_key(term),
            .match_label_keys = decode_texts(term["matchLabelKeys"]),
            .mismatch_label_keys = decode_texts(term["mismatchLabelKeys"])};
}

std::optional<int> decode_positive(const JsonCursor& place) {
    const auto number = place.integer(1, std::numeric_limits<std::int32_t>::max());
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Whether a node inclusion policy is Honor.
bool decode_policy(const JsonCursor& policy, bool fallback) {
    const auto text = policy.text();
    if (!text) return fallback;
    if (*text != "Honor" && *text != "Ignore") policy.expects("Honor or Ignore");
    return *text == "Honor";
}

bool keeps_off(const JsonCursor& constraint) {
    const JsonCursor action = constraint.required("whenUnsatisfiable");
    const auto text = action.text();
    if (text && *text != "DoNotSchedule" && *text != "ScheduleAnyway")
        action.expects("DoNotSchedule or ScheduleAnyway");
    return text == "DoNotSchedule";
}

engine::snapshot::SpreadConstraint decode_constraint(const JsonCursor& constraint) {
    return {.max_skew = decode_positive(constraint.required("maxSkew")).value_or(1),
            .topology_key = decode_topology_key(constraint),
            .selector = decode_label_selector(constraint["labelSelector"]),
            .min_domains = decode_positive(constraint["minDomains"]),
            .honor_affinity = decode_policy(constraint["nodeAffinityPolicy"], true),
            .honor_taints = decode_policy(constraint["nodeTaintsPolicy"], false),
            .match_label_keys = decode_texts(constraint["matchLabelKeys"])};
}

}  // namespace

std::vector<engine::snapshot::PodTerm> decode_pod_terms(const JsonCursor& affinity) {
    std::vector<engine::snapshot::PodTerm> out;
    for (const JsonCursor& term :
         affinity["requiredDuringSchedulingIgnoredDuringExecution"].items())
        out.push_back(decode_pod_term(term));
    return out;
}

std::vector<engine::snapshot::SpreadConstraint> decode_spread(const JsonCursor& constraints) {
    std::vector<engine::snapshot::SpreadConstraint> out;
    for (const JsonCursor& constraint : constraints.items()) {
        if (keeps_off(constraint)) out.push_back(decode_constraint(constraint));
    }
    return out;
}

namespace {

void add(Quantities& sum, const Quantities& more) {
    for (const auto& [resource, quantity] : more) sum[resource] += quantity;
}

/// Raises each resource of `amounts` to at least its amount in `other`.
void raise_to(Quantities& amounts, const Quantities& other) {
    for (const auto& [resource, quantity] : other) {
        const auto [at, is_new] = amounts.emplace(resource, quantity);
        if (!is_new && at->second < quantity) at->second = quantity;
    }
}

Quantities container_requests(const JsonCursor& container) {
    const JsonCursor resources = container["resources"];
    Quantities requests = decode_quantities(resources["requests"]);
    requests.merge(decode_quantities(resources["limits"]));
    return requests;
}

/// The larger one of the running requests and the peak while init containers run; see
/// decode_pod_requests.
Quantities containers_requests(const JsonCursor& spec) {
    Quantities running;
    for (const JsonCursor& container : spec["containers"].items())
        add(running, container_requests(container));

    Quantities sidecars;  // started so far; they run next to each init container after them
    Quantities peak;
    for (const JsonCursor& container : spec["initContainers"].items()) {
        Quantities needed = container_requests(container);
        if (is_sidecar(container)) {
            add(running, needed);
            add(sidecars, needed);
            raise_to(peak, sidecars);
        } else {
            add(needed, sidecars);
            raise_to(peak, needed);
        }
    }
    raise_to(running, peak);
    return running;
}

bool may_be_set_for_the_pod(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

/// Pod-level requests replace the sums over containers. A pod-level limit counts only where neither
/// a container nor the pod has a request.
void apply_pod_level(Quantities& requests, const JsonCursor& resources) {
    for (const auto& [resource, quantity] : decode_quantities(resources["requests"])) {
        if (may_be_set_for_the_pod(resource)) requests[resource] = quantity;
    }
    for (const auto& [resource, quantity] : decode_quantities(resources["limits"])) {
        if (may_be_set_for_the_pod(resource)) requests.emplace(resource, quantity);
    }
}

}  // namespace

bool is_sidecar(const JsonCursor& init_container) {
    return init_container["restartPolicy"].text() == "Always";
}

Resources decode_pod_requests(const JsonCursor& spec) {
    Quantities requests = containers_requests(spec);
    apply_pod_level(requests, spec["resources"]);
    add(requests, decode_quantities(spec["overhead"]));
    return rounded(requests);
}

namespace {

std::optional<std::int32_t> decode_priority(const JsonCursor& priority) {
    using Priority = std::numeric_limits<std::int32_t>;
    const auto number = priority.integer(Priority::min(), Priority::max());
    return number ? std::optional(static_cast<std::int32_t>(*number)) : std::nullopt;
}

bool decode_never_preempts(const JsonCursor& policy) {
    const auto text = policy.text();
    if (text && *text != "Never" && *text != "PreemptLowerPriority")
        policy.expects("Never or PreemptLowerPriority");
    return text == "Never";
}

/// As the kubelet reads the value: a negative one is one second.
std::optional<Duration> decode_grace(const JsonCursor& seconds) {
    using Seconds = std::numeric_limits<std::int64_t>;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto number = seconds.integer(Seconds::min(), Seconds::max());
    if (!number) return std::nullopt;
    return std::chrono::seconds(*number < 0 ? 1 : std::min(*number, most));
}

std::vector<engine::snapshot::InTreeVolume> decode_in_tree_volumes(const JsonCursor& volumes) {
    std::vector<engine::snapshot::InTreeVolume> out;
    for (const JsonCursor& volume : volumes.items())
        if (auto found = decode_in_tree_volume(volume)) out.push_back(*std::move(found));
    return out;
}

/// Decodes the members without which the pod would fit on more nodes. False: one of them is
/// malformed.
bool decode_needs(const JsonCursor& spec, engine::snapshot::PodSpec& out) {
    const Complaints complaints(spec);
    const JsonCursor affinity = spec["affinity"];
    out.requests = decode_pod_requests(spec);
    out.node_selector = spec["nodeSelector"].labels();
    out.pod_affinity = decode_pod_terms(affinity["podAffinity"]);
    out.pod_anti_affinity = decode_pod_terms(affinity["podAntiAffinity"]);
    out.spread = decode_spread(spec["topologySpreadConstraints"]);
    out.has_soft_spread = out.spread.size() < spec["topologySpreadConstraints"].items().size();
    out.ports = decode_host_ports(spec);
    out.local_volumes = decode_local_volumes(spec["volumes"]);
    out.uses_local_storage = !out.local_volumes.empty();
    out.in_tree_volumes = decode_in_tree_volumes(spec["volumes"]);
    out.uses_resource_claims = !spec["resourceClaims"].items().empty();
    return !complaints.any();
}

}  // namespace

DecodedPodSpec decode_pod_spec(const JsonCursor& spec) {
    DecodedPodSpec out;
    out.is_complete = decode_needs(spec, out.spec);
    const JsonCursor node_affinity = spec["affinity"]["nodeAffinity"];
    out.spec.affinity_required = decode_required_affinity(node_affinity);
    out.spec.affinity_preferred = decode_preferred_affinity(node_affinity);
    out.spec.tolerations = decode_tolerations(spec["tolerations"]);
    out.spec.priority = decode_priority(spec["priority"]);
    out.spec.priority_class = spec["priorityClassName"].text().value_or("");
    out.spec.never_preempts = decode_never_preempts(spec["preemptionPolicy"]);
    out.spec.termination_grace = decode_grace(spec["terminationGracePeriodSeconds"]);
    out.spec.scheduler = spec["schedulerName"].text().value_or("default-scheduler");
    return out;
}

namespace {

using engine::snapshot::PodObject;
using engine::snapshot::PodPhase;

PodPhase decode_phase(const JsonCursor& phase) {
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

/// The reason of the condition PodScheduled=False; empty: the pod is scheduled, or the scheduler
/// has not tried yet.
std::string decode_unscheduled_reason(const JsonCursor& conditions) {
    for (const JsonCursor& condition : conditions.items()) {
        if (condition["type"].text() != "PodScheduled") continue;
        if (condition["status"].text() != "False") return {};
        return std::string(condition["reason"].text().value_or(""));
    }
    return {};
}

void decode_pod_status(const JsonCursor& status, PodObject& out) {
    out.phase = decode_phase(status["phase"]);
    out.nominated_node = status["nominatedNodeName"].text().value_or("");
    out.unscheduled_reason = decode_unscheduled_reason(status["conditions"]);
}

/// Decodes the members of the spec that belong to this pod alone, not to its equivalence group.
/// False: one of them is malformed.
bool decode_own_spec(const JsonCursor& spec, PodObject& out) {
    const Complaints complaints(spec);
    out.claims = decode_claims(spec["volumes"], out.name);
    out.node_name = spec["nodeName"].text().value_or("");
    out.gated = !spec["schedulingGates"].items().empty();
    return !complaints.any();
}

}  // namespace

DecodedPod decode_pod_object(const JsonCursor& pod) {
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

PodEquivalenceGroup decode_pod(const JsonCursor& pod) {
    engine::snapshot::PodObject object = std::move(decode_pod_object(pod).pod);
    engine::snapshot::PodSpec& spec = object.spec;
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

}  // namespace capstan::kubernetes::objects
