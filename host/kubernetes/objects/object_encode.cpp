#include "kubernetes/objects/object_encode.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/quantity.hpp>
#include <capstan/well_known.hpp>

#include "kubernetes/objects/in_tree_volumes.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes::objects {
namespace {

namespace json = boost::json;

constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* preferred = "preferredDuringSchedulingIgnoredDuringExecution";

json::array encode_texts(const std::vector<std::string>& texts) {
    json::array out;
    for (const std::string& text : texts) out.push_back(encode_text(text));
    return out;
}

/// Sets a member, unless it is empty: the API leaves out empty lists and maps.
template <class T>
void set_members(json::object& to, const char* key, T members) {
    if (!members.empty()) to[key] = std::move(members);
}

template <class Items, class Encode>
json::array encode_all(const Items& items, Encode encode) {
    json::array out;
    for (const auto& item : items) out.push_back(encode(item));
    return out;
}

json::object encode_requirement(const Requirement& requirement) {
    json::object out{{"key", encode_text(requirement.key)},
                     {"operator", encode_text(name_of(requirement.op))}};
    set_members(out, "values", encode_texts(requirement.values));
    return out;
}

json::object encode_term(const NodeSelectorTerm& term) {
    json::object out;
    set_members(out, "matchExpressions", encode_all(term.labels, encode_requirement));
    set_members(out, "matchFields", encode_all(term.fields, encode_requirement));
    return out;
}

json::object encode_preference(const NodeSelectorTerm& term) {
    return {{"weight", term.weight}, {"preference", encode_term(term)}};
}

json::object encode_toleration(const Toleration& toleration) {
    const bool exists = toleration.op == Toleration::Op::exists;
    json::object out{{"operator", exists ? "Exists" : "Equal"}};
    if (!toleration.key.empty()) out["key"] = encode_text(toleration.key);
    if (!toleration.value.empty()) out["value"] = encode_text(toleration.value);
    if (toleration.effect) out["effect"] = encode_text(name_of(*toleration.effect));
    return out;
}

json::object encode_pod_term(const engine::snapshot::PodTerm& term) {
    json::object out{{"topologyKey", encode_text(term.topology_key)}};
    if (term.selector) out["labelSelector"] = encode_selector(*term.selector);
    if (term.namespace_selector)
        out["namespaceSelector"] = encode_selector(*term.namespace_selector);
    set_members(out, "namespaces", encode_texts(term.namespaces));
    set_members(out, "matchLabelKeys", encode_texts(term.match_label_keys));
    set_members(out, "mismatchLabelKeys", encode_texts(term.mismatch_label_keys));
    return out;
}

json::object encode_constraint(const engine::snapshot::SpreadConstraint& constraint) {
    json::object out{{"maxSkew", constraint.max_skew},
                     {"topologyKey", encode_text(constraint.topology_key)},
                     {"whenUnsatisfiable", "DoNotSchedule"},
                     {"nodeAffinityPolicy", constraint.honor_affinity ? "Honor" : "Ignore"},
                     {"nodeTaintsPolicy", constraint.honor_taints ? "Honor" : "Ignore"}};
    if (constraint.selector) out["labelSelector"] = encode_selector(*constraint.selector);
    if (constraint.min_domains) out["minDomains"] = *constraint.min_domains;
    set_members(out, "matchLabelKeys", encode_texts(constraint.match_label_keys));
    return out;
}

/// The engine keeps no ScheduleAnyway constraints, only that there are some. One constraint without
/// effect stands for them.
json::array encode_spread(const engine::snapshot::PodSpec& spec) {
    json::array out = encode_all(spec.spread, encode_constraint);
    if (spec.has_soft_spread) {
        out.push_back(json::object{{"maxSkew", 1},
                                   {"topologyKey", well_known::hostname_label},
                                   {"whenUnsatisfiable", "ScheduleAnyway"}});
    }
    return out;
}

json::object encode_affinity(const engine::snapshot::PodSpec& spec) {
    json::object node, out;
    if (!spec.affinity_required.empty())
        node[required] =
            json::object{{"nodeSelectorTerms", encode_all(spec.affinity_required, encode_term)}};
    set_members(node, preferred, encode_all(spec.affinity_preferred, encode_preference));
    set_members(out, "nodeAffinity", std::move(node));
    const auto add = [&](const char* key, const std::vector<engine::snapshot::PodTerm>& terms) {
        if (!terms.empty()) out[key] = json::object{{required, encode_all(terms, encode_pod_term)}};
    };
    add("podAffinity", spec.pod_affinity);
    add("podAntiAffinity", spec.pod_anti_affinity);
    return out;
}

json::object encode_port(const engine::snapshot::HostPort& port) {
    json::object out{{"containerPort", port.port},
                     {"hostPort", port.port},
                     {"protocol", encode_text(port.protocol)}};
    if (!port.ip.empty()) out["hostIP"] = encode_text(port.ip);
    return out;
}

json::object encode_container(const engine::snapshot::PodSpec& spec) {
    json::object out{{"name", "main"}, {"resources", json::object()}};
    set_members(out["resources"].as_object(), "requests", encode_amounts(spec.requests));
    set_members(out, "ports", encode_all(spec.ports, encode_port));
    return out;
}

json::object encode_local_volume(const std::string& name) {
    return {{"name", encode_text(name)}, {"emptyDir", json::object()}};
}

json::array encode_volumes(const engine::snapshot::PodSpec& spec) {
    json::array out = encode_all(spec.local_volumes, encode_local_volume);
    for (std::size_t i = 0; i < spec.in_tree_volumes.size(); ++i) {
        json::object volume = encode_in_tree_volume(spec.in_tree_volumes[i]);
        volume["name"] = encode_text("disk-" + std::to_string(i));
        out.push_back(std::move(volume));
    }
    return out;
}

}  // namespace

json::string encode_text(std::string_view text) { return json::string(text.data(), text.size()); }

json::object encode_labels(const Labels& labels) {
    json::object out;
    for (const auto& [key, value] : labels) out[key] = encode_text(value);
    return out;
}

json::object encode_selector(const LabelSelector& selector) {
    json::object out;
    set_members(out, "matchLabels", encode_labels(selector.match_labels));
    set_members(out, "matchExpressions",
                encode_all(selector.match_expressions, encode_requirement));
    return out;
}

json::object encode_amounts(const Resources& amounts) {
    json::object out;
    for (const auto& [resource, amount] : amounts)
        out[resource] = encode_text(format_amount(resource, amount));
    return out;
}

json::object encode_pod_spec(const engine::snapshot::PodSpec& spec) {
    json::object out{{"containers", json::array{encode_container(spec)}},
                     {"schedulerName", encode_text(spec.scheduler)}};
    set_members(out, "nodeSelector", encode_labels(spec.node_selector));
    set_members(out, "affinity", encode_affinity(spec));
    set_members(out, "tolerations", encode_all(spec.tolerations, encode_toleration));
    set_members(out, "topologySpreadConstraints", encode_spread(spec));
    set_members(out, "volumes", encode_volumes(spec));
    if (spec.uses_resource_claims)
        out["resourceClaims"] = json::array{json::object{{"name", "claim"}}};
    if (spec.priority) out["priority"] = *spec.priority;
    if (!spec.priority_class.empty()) out["priorityClassName"] = encode_text(spec.priority_class);
    if (spec.never_preempts) out["preemptionPolicy"] = "Never";
    if (spec.termination_grace) {
        const auto grace = std::chrono::ceil<std::chrono::seconds>(*spec.termination_grace);
        out["terminationGracePeriodSeconds"] = grace.count();
    }
    return out;
}

namespace {

namespace json = boost::json;

void set(json::object& to, const char* key, const std::string& text) {
    if (!text.empty()) to[key] = encode_text(text);
}
void set(json::object& to, const char* key, Time time) {
    if (const auto text = find_timestamp_text(time); text && time != Time()) to[key] = *text;
}
void set(json::object& to, const char* key, const Labels& labels) {
    if (!labels.empty()) to[key] = encode_labels(labels);
}
void set(json::object& to, const char* key, json::array list) {
    if (!list.empty()) to[key] = std::move(list);
}

json::object encode_taint(const Taint& taint) {
    json::object out{{"key", encode_text(taint.key)},
                     {"effect", encode_text(name_of(taint.effect))}};
    set(out, "value", taint.value);
    return out;
}

json::array encode_conditions(const engine::snapshot::NodeObject& node) {
    json::object ready{{"type", "Ready"}, {"status", node.ready ? "True" : "False"}};
    set(ready, "lastTransitionTime", node.ready_since);
    json::array out{std::move(ready)};
    if (node.suspended) out.push_back(json::object{{"type", "Suspended"}, {"status", "True"}});
    return out;
}

/// NodeObject does not have their types: all that is not an IP address is a DNS name.
json::array encode_addresses(const std::vector<std::string>& addresses) {
    json::array out;
    for (const std::string& address : addresses) {
        const bool is_ip = address.find_first_not_of("0123456789.") == std::string::npos ||
                           address.find(':') != std::string::npos;
        out.push_back(json::object{{"type", is_ip ? "InternalIP" : "InternalDNS"},
                                   {"address", encode_text(address)}});
    }
    return out;
}

std::string_view phase_name(engine::snapshot::PodPhase phase) {
    switch (phase) {
        case engine::snapshot::PodPhase::pending: return "Pending";
        case engine::snapshot::PodPhase::running: return "Running";
        case engine::snapshot::PodPhase::succeeded: return "Succeeded";
        case engine::snapshot::PodPhase::failed: return "Failed";
        case engine::snapshot::PodPhase::unknown: return "Unknown";
    }
    return "Unknown";
}

/// The controlling owner, and a Job where a Job is among the other owners.
json::array encode_owners(const engine::snapshot::PodOwner& owner) {
    json::array out;
    if (!owner.kind.empty()) {
        const std::string version = owner.api_group.empty() ? "v1" : owner.api_group + "/v1";
        out.push_back(json::object{{"apiVersion", version},
                                   {"kind", encode_text(owner.kind)},
                                   {"name", encode_text(owner.name)},
                                   {"uid", encode_text(owner.uid)},
                                   {"controller", true}});
    }
    const bool is_job = owner.kind == "Job" && owner.api_group == "batch";
    if (owner.job_among_owners && !is_job)
        out.push_back(json::object{{"apiVersion", "batch/v1"}, {"kind", "Job"}});
    return out;
}

json::object encode_metadata(const engine::snapshot::PodObject& pod) {
    json::object out{{"name", encode_text(pod.name)}, {"namespace", encode_text(pod.ns)}};
    set(out, "uid", pod.uid);
    set(out, "labels", pod.labels);
    set(out, "annotations", pod.annotations);
    set(out, "ownerReferences", encode_owners(pod.owner));
    set(out, "creationTimestamp", pod.created);
    if (pod.deleted) set(out, "deletionTimestamp", *pod.deleted);
    return out;
}

json::object encode_spec(const engine::snapshot::PodObject& pod) {
    json::object out = encode_pod_spec(pod.spec);
    json::array claims;
    for (const std::string& claim : pod.claims)
        claims.push_back(json::object{
            {"name", encode_text("claim-" + claim)},
            {"persistentVolumeClaim", json::object{{"claimName", encode_text(claim)}}}});
    if (!claims.empty()) {
        json::value& volumes = out.emplace("volumes", json::array()).first->value();
        for (json::value& claim : claims) volumes.as_array().push_back(std::move(claim));
    }
    set(out, "nodeName", pod.node_name);
    if (pod.gated) out["schedulingGates"] = json::array{json::object{{"name", "gate"}}};
    return out;
}

json::object encode_status(const engine::snapshot::PodObject& pod) {
    json::object out{{"phase", encode_text(phase_name(pod.phase))}};
    set(out, "nominatedNodeName", pod.nominated_node);
    if (!pod.unscheduled_reason.empty())
        out["conditions"] =
            json::array{json::object{{"type", "PodScheduled"},
                                     {"status", "False"},
                                     {"reason", encode_text(pod.unscheduled_reason)}}};
    return out;
}

}  // namespace

json::object encode_node(const engine::snapshot::NodeObject& node) {
    json::object metadata{{"name", encode_text(node.name)}};
    set(metadata, "labels", node.labels);
    set(metadata, "annotations", node.annotations);
    set(metadata, "creationTimestamp", node.created);
    json::object spec;
    set(spec, "providerID", node.provider_id);
    json::array taints;
    for (const Taint& taint : node.taints) taints.push_back(encode_taint(taint));
    set(spec, "taints", std::move(taints));
    if (node.unschedulable) spec["unschedulable"] = true;
    json::object status{{"capacity", encode_amounts(node.capacity)},
                        {"allocatable", encode_amounts(node.allocatable)},
                        {"conditions", encode_conditions(node)}};
    set(status, "addresses", encode_addresses(node.addresses));
    return {{"metadata", std::move(metadata)},
            {"spec", std::move(spec)},
            {"status", std::move(status)}};
}

json::object encode_pod(const engine::snapshot::PodObject& pod) {
    return {{"metadata", encode_metadata(pod)},
            {"spec", encode_spec(pod)},
            {"status", encode_status(pod)}};
}

}  // namespace capstan::kubernetes::objects
