#include "kubernetes/object_encode.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/pod_spec_encode.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes {
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

json::array encode_conditions(const engine::NodeObject& node) {
    json::object ready{{"type", "Ready"}, {"status", node.ready ? "True" : "False"}};
    set(ready, "lastTransitionTime", node.ready_since);
    json::array out{std::move(ready)};
    if (node.suspended) out.push_back(json::object{{"type", "Suspended"}, {"status", "True"}});
    return out;
}

std::string_view phase_name(engine::PodPhase phase) {
    switch (phase) {
        case engine::PodPhase::pending: return "Pending";
        case engine::PodPhase::running: return "Running";
        case engine::PodPhase::succeeded: return "Succeeded";
        case engine::PodPhase::failed: return "Failed";
        case engine::PodPhase::unknown: return "Unknown";
    }
    return "Unknown";
}

/// The controller, and a Job where that is another owner.
json::array encode_owners(const engine::PodOwner& owner) {
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

json::object encode_metadata(const engine::PodObject& pod) {
    json::object out{{"name", encode_text(pod.name)}, {"namespace", encode_text(pod.ns)}};
    set(out, "uid", pod.uid);
    set(out, "labels", pod.labels);
    set(out, "annotations", pod.annotations);
    set(out, "ownerReferences", encode_owners(pod.owner));
    set(out, "creationTimestamp", pod.created);
    if (pod.deleted) set(out, "deletionTimestamp", *pod.deleted);
    return out;
}

json::object encode_spec(const engine::PodObject& pod) {
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

json::object encode_status(const engine::PodObject& pod) {
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

json::object encode_node(const engine::NodeObject& node) {
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
    return {{"metadata", std::move(metadata)},
            {"spec", std::move(spec)},
            {"status", json::object{{"capacity", encode_amounts(node.capacity)},
                                    {"allocatable", encode_amounts(node.allocatable)},
                                    {"conditions", encode_conditions(node)}}}};
}

json::object encode_pod(const engine::PodObject& pod) {
    return {{"metadata", encode_metadata(pod)},
            {"spec", encode_spec(pod)},
            {"status", encode_status(pod)}};
}

}  // namespace capstan::kubernetes
