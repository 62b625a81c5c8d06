#include "autoscaler/dump/anonymous.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "autoscaler/dump/aliases.hpp"
#include "autoscaler/dump/dump_facts.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/objects/object_kinds.hpp"

namespace capstan::autoscaler::dump {
namespace {

namespace json = boost::json;
using kubernetes::base::list_at;
using kubernetes::base::text_at;

std::string_view string_in(const json::value& value) {
    const json::string* text = value.if_string();
    return text != nullptr ? std::string_view(*text) : std::string_view();
}

namespace rewrites {

/// Returns the anonymous form of a member's value; null: the member is left out.
using Rewrite = json::value (*)(Aliases& aliases, const json::value& value);

struct Member {
    std::string_view key;
    Rewrite rewrite;
};

/// Keeps only `members` of an object, or of each object in an array, each rewritten.
json::value rewrite_members(Aliases& aliases, const json::value& value,
                            std::span<const Member> members) {
    if (const json::array* items = value.if_array()) {
        json::array out;
        for (const json::value& item : *items)
            out.push_back(rewrite_members(aliases, item, members));
        return out;
    }
    const json::object* object = value.if_object();
    if (object == nullptr) return nullptr;
    json::object out;
    for (const Member& member : members) {
        const json::value* const old = object->if_contains(member.key);
        if (old == nullptr) continue;
        json::value renamed = member.rewrite(aliases, *old);
        if (!renamed.is_null()) out[member.key] = std::move(renamed);
    }
    return out;
}

template <const auto& members>
json::value members_of(Aliases& aliases, const json::value& value) {
    return rewrite_members(aliases, value, members);
}

json::value as_it_is(Aliases&, const json::value& value) { return value; }

json::value nothing_of(Aliases&, const json::value&) { return json::object(); }

/// Replaces a text, or each text in an array.
template <auto alias>
json::value texts(Aliases& aliases, const json::value& value) {
    if (value.is_string()) return json::value((aliases.*alias)(string_in(value)));
    json::array out;
    if (const json::array* items = value.if_array())
        for (const json::value& item : *items) out.emplace_back((aliases.*alias)(string_in(item)));
    return out;
}

constexpr Rewrite name = texts<&Aliases::of>, key = texts<&Aliases::of_key>;

/// Replaces the keys and values of an object such as labels.
template <auto alias>
json::value pairs(Aliases& aliases, const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return nullptr;
    json::object out;
    for (const auto& member : *object)
        out[aliases.of_key(member.key())] =
            (aliases.*alias)(member.key(), string_in(member.value()));
    return out;
}

constexpr Rewrite labels = pairs<&Aliases::of_value>, annotations = pairs<&Aliases::of_annotation>;

json::value quantities(Aliases& aliases, const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return value;  // a quantity by itself
    json::object out;
    for (const auto& member : *object) {
        const bool is_native = member.key().find('/') == std::string_view::npos;
        out[is_native ? std::string(member.key()) : aliases.of_key(member.key())] = member.value();
    }
    return out;
}

constexpr Member resource_members[] = {{"limits", quantities}, {"requests", quantities}};

/// Rewrites a requirement of a node or label selector ("key in values"), or a topology term, which
/// has no operator.
json::value requirement(Aliases& aliases, const json::value& value) {
    if (const json::array* items = value.if_array()) {
        json::array out;
        for (const json::value& item : *items) out.push_back(requirement(aliases, item));
        return out;
    }
    const json::object* object = value.if_object();
    if (object == nullptr) return nullptr;
    const auto member = [&](std::string_view of) {
        const json::value* found = object->if_contains(of);
        return found != nullptr ? *found : json::value();
    };
    const std::string its_key(string_in(member("key")));
    const std::string op(string_in(member("operator")));
    if (op == "Gt" || op == "Lt") aliases.order(its_key);
    json::object out{{"key", aliases.of_key(its_key)}};
    if (!op.empty()) out["operator"] = op;
    const json::value values = member("values");
    if (const json::array* items = values.if_array()) {
        json::array& renamed = out["values"].emplace_array();
        for (const json::value& item : *items)
            renamed.emplace_back(aliases.of_value(its_key, string_in(item)));
    }
    return out;
}

constexpr Member selector_members[] = {{"matchExpressions", requirement}, {"matchLabels", labels}};

/// Rewrites a label selector. The selectors of Services and ReplicationControllers are plain maps
/// of labels.
json::value selector(Aliases& aliases, const json::value& value) {
    const json::object* object = value.if_object();
    const auto is_structured = [&](std::string_view of) {
        const json::value* found = object->if_contains(of);
        return found != nullptr && found->is_structured();
    };
    const bool is_whole =
        object != nullptr && (is_structured("matchLabels") || is_structured("matchExpressions"));
    return is_whole ? rewrite_members(aliases, value, selector_members) : labels(aliases, value);
}

/// Rewrites a list of taints or of tolerations.
json::value taints(Aliases& aliases, const json::value& value) {
    json::array out;
    if (const json::array* items = value.if_array()) {
        for (const json::value& item : *items) {
            json::object one;
            if (const json::object* old = item.if_object()) {
                for (const std::string_view stays : {"effect", "operator"})
                    if (const json::value* found = old->if_contains(stays)) one[stays] = *found;
                const json::value* its_key = old->if_contains("key");
                const std::string_view under = its_key != nullptr ? string_in(*its_key) : "";
                if (its_key != nullptr) one["key"] = aliases.of_key(under);
                if (const json::value* found = old->if_contains("value"))
                    one["value"] = aliases.of_value(under, string_in(*found));
            }
            out.push_back(std::move(one));
        }
    }
    return out;
}

constexpr Member node_term_members[] = {{"matchExpressions", requirement},
                                        {"matchFields", requirement}};
constexpr Member preferred_node_members[] = {{"preference", members_of<node_term_members>},
                                             {"weight", as_it_is}};
constexpr Member node_selector_members[] = {{"nodeSelectorTerms", members_of<node_term_members>}};
constexpr Member node_affinity_members[] = {
    {"required", members_of<node_selector_members>},  // of volumes
    {"requiredDuringSchedulingIgnoredDuringExecution", members_of<node_selector_members>},
    {"preferredDuringSchedulingIgnoredDuringExecution", members_of<preferred_node_members>}};

constexpr Member pod_term_members[] = {{"labelSelector", selector},     {"matchLabelKeys", key},
                                       {"mismatchLabelKeys", key},      {"namespaces", name},
                                       {"namespaceSelector", selector}, {"topologyKey", key}};
constexpr Member preferred_pod_members[] = {{"podAffinityTerm", members_of<pod_term_members>},
                                            {"weight", as_it_is}};
constexpr Member pod_affinity_members[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", members_of<pod_term_members>},
    {"preferredDuringSchedulingIgnoredDuringExecution", members_of<preferred_pod_members>}};
constexpr Member affinity_members[] = {{"nodeAffinity", members_of<node_affinity_members>},
                                       {"podAffinity", members_of<pod_affinity_members>},
                                       {"podAntiAffinity", members_of<pod_affinity_members>}};

constexpr Member spread_members[] = {
    {"labelSelector", selector}, {"matchLabelKeys", key},          {"maxSkew", as_it_is},
    {"minDomains", as_it_is},    {"nodeAffinityPolicy", as_it_is}, {"nodeTaintsPolicy", as_it_is},
    {"topologyKey", key},        {"whenUnsatisfiable", as_it_is}};

/// Replaces a host address, except the two that mean all addresses.
json::value address(Aliases& aliases, const json::value& value) {
    const std::string_view text = string_in(value);
    return text == "0.0.0.0" || text == "::" ? value : name(aliases, value);
}

constexpr Member port_members[] = {{"containerPort", as_it_is},
                                   {"hostIP", address},
                                   {"hostPort", as_it_is},
                                   {"protocol", as_it_is}};
constexpr Member container_members[] = {{"ports", members_of<port_members>},
                                        {"resources", members_of<resource_members>},
                                        {"restartPolicy", as_it_is}};

constexpr Member empty_dir_members[] = {{"medium", as_it_is}};
constexpr Member volume_claim_members[] = {{"claimName", name}};
constexpr Member disk_members[] = {
    {"diskURI", name}, {"kind", as_it_is}, {"pdName", name}, {"volumeID", name}};
constexpr Member volume_members[] = {{"awsElasticBlockStore", members_of<disk_members>},
                                     {"azureDisk", members_of<disk_members>},
                                     {"cinder", members_of<disk_members>},
                                     {"emptyDir", members_of<empty_dir_members>},
                                     {"ephemeral", nothing_of},
                                     {"gcePersistentDisk", members_of<disk_members>},
                                     {"hostPath", nothing_of},
                                     {"name", name},
                                     {"persistentVolumeClaim", members_of<volume_claim_members>},
                                     {"portworxVolume", members_of<disk_members>}};
constexpr Member named_members[] = {{"name", name}};

json::value api_version(Aliases& aliases, const json::value& value) {
    const std::string_view text = string_in(value), group = kubernetes::objects::group_of(text);
    const bool is_known = group.empty() || group == "apps" || group == "batch" ||
                          group == "policy" || is_known_domain(group);
    return is_known ? value
                    : json::value(aliases.of(group) + std::string(text.substr(group.size())));
}

json::value kind(Aliases& aliases, const json::value& value) {
    const std::string_view text = string_in(value);
    const bool is_known = kubernetes::objects::find_kind(text, {}) != nullptr ||
                          text == "Deployment" || text == "CronJob";
    return is_known ? value : name(aliases, value);
}

constexpr Member owner_members[] = {{"apiVersion", api_version},
                                    {"controller", as_it_is},
                                    {"kind", kind},
                                    {"name", name},
                                    {"uid", name}};
constexpr Member metadata_members[] = {{"annotations", annotations},
                                       {"creationTimestamp", as_it_is},
                                       {"deletionTimestamp", as_it_is},
                                       {"generation", as_it_is},
                                       {"labels", labels},
                                       {"name", name},
                                       {"namespace", name},
                                       {"ownerReferences", members_of<owner_members>},
                                       {"uid", name}};

constexpr Member pod_spec_members[] = {{"affinity", members_of<affinity_members>},
                                       {"containers", members_of<container_members>},
                                       {"hostNetwork", as_it_is},
                                       {"initContainers", members_of<container_members>},
                                       {"nodeName", name},
                                       {"nodeSelector", labels},
                                       {"overhead", quantities},
                                       {"preemptionPolicy", as_it_is},
                                       {"priority", as_it_is},
                                       {"priorityClassName", name},
                                       {"resourceClaims", members_of<named_members>},
                                       {"resources", members_of<resource_members>},
                                       {"schedulerName", name},
                                       {"schedulingGates", members_of<named_members>},
                                       {"terminationGracePeriodSeconds", as_it_is},
                                       {"tolerations", taints},
                                       {"topologySpreadConstraints", members_of<spread_members>},
                                       {"volumes", members_of<volume_members>}};
constexpr Member template_members[] = {{"metadata", members_of<metadata_members>},
                                       {"spec", members_of<pod_spec_members>}};

constexpr Member claim_ref_members[] = {{"name", name}, {"namespace", name}};
constexpr Member csi_members[] = {{"driver", name}, {"volumeHandle", name}};
constexpr Member driver_members[] = {{"allocatable", as_it_is}, {"name", name}};
/// The members of `spec` of all kinds but Pod.
constexpr Member other_spec_members[] = {{"accessModes", as_it_is},
                                         {"awsElasticBlockStore", members_of<disk_members>},
                                         {"azureDisk", members_of<disk_members>},
                                         {"capacity", quantities},
                                         {"cinder", members_of<disk_members>},
                                         {"claimRef", members_of<claim_ref_members>},
                                         {"completions", as_it_is},
                                         {"csi", members_of<csi_members>},
                                         {"drivers", members_of<driver_members>},
                                         {"gcePersistentDisk", members_of<disk_members>},
                                         {"maxUnavailable", as_it_is},
                                         {"minAvailable", as_it_is},
                                         {"nodeAffinity", members_of<node_affinity_members>},
                                         {"parallelism", as_it_is},
                                         {"portworxVolume", members_of<disk_members>},
                                         {"providerID", name},
                                         {"replicas", as_it_is},
                                         {"selector", selector},
                                         {"storageCapacity", as_it_is},
                                         {"storageClassName", name},
                                         {"suspend", as_it_is},
                                         {"taints", taints},
                                         {"template", members_of<template_members>},
                                         {"unhealthyPodEvictionPolicy", as_it_is},
                                         {"unschedulable", as_it_is},
                                         {"volumeMode", as_it_is},
                                         {"volumeName", name}};

json::value spec(Aliases& aliases, const json::value& value) {
    json::value out = rewrite_members(aliases, value, pod_spec_members);
    json::value others = rewrite_members(aliases, value, other_spec_members);
    if (out.is_object() && others.is_object())
        for (auto& member : others.get_object())
            out.get_object()[member.key()] = std::move(member.value());
    return out;
}

/// Keeps the three types of conditions that decisions read. Other controllers add types of their
/// own.
json::value conditions(Aliases&, const json::value& value) {
    json::array out;
    if (const json::array* items = value.if_array()) {
        for (const json::value& item : *items) {
            const json::object* old = item.if_object();
            const json::value* type = old != nullptr ? old->if_contains("type") : nullptr;
            const std::string_view text = type != nullptr ? string_in(*type) : "";
            const bool is_scheduled = text == "PodScheduled";
            if (!is_scheduled && text != "Ready" && text != "Suspended") continue;
            json::object one = *old;
            // Only the reason of PodScheduled decides something; other reasons are free text.
            if (!is_scheduled) one.erase("reason");
            one.erase("message");
            out.push_back(std::move(one));
        }
    }
    return out;
}

constexpr Member address_members[] = {{"address", name}, {"type", as_it_is}};
constexpr Member status_members[] = {{"addresses", members_of<address_members>},
                                     {"allocatable", quantities},
                                     {"capacity", quantities},
                                     {"conditions", conditions},
                                     {"disruptionsAllowed", as_it_is},
                                     {"nominatedNodeName", name},
                                     {"observedGeneration", as_it_is},
                                     {"phase", as_it_is},
                                     {"succeeded", as_it_is}};
constexpr Member topology_members[] = {{"matchLabelExpressions", requirement}};
constexpr Member object_members[] = {{"apiVersion", api_version},
                                     {"kind", kind},
                                     {"metadata", members_of<metadata_members>},
                                     {"spec", spec},
                                     {"status", members_of<status_members>},
                                     // storage classes and capacities
                                     {"allowedTopologies", members_of<topology_members>},
                                     {"capacity", as_it_is},
                                     {"nodeTopology", selector},
                                     {"provisioner", name},
                                     {"storageClassName", name},
                                     {"volumeBindingMode", as_it_is}};

json::value object(Aliases& aliases, const json::value& value) {
    return rewrite_members(aliases, value, object_members);
}

}  // namespace rewrites

/// Makes an ephemeral volume name its claim. Kubernetes derives that name from pod and volume,
/// which aliases would break.
void name_ephemeral_claims(json::value& pod) {
    boost::system::error_code absent;
    json::value* volumes = pod.find_pointer("/spec/volumes", absent);
    const std::string pod_name(text_at(pod, "metadata.name"));
    if (volumes == nullptr || !volumes->is_array() || pod_name.empty()) return;
    for (json::value& volume : volumes->get_array()) {
        if (!volume.is_object() || volume.get_object().erase("ephemeral") == 0) continue;
        const std::string claim = pod_name + "-" + std::string(text_at(volume, "name"));
        volume.get_object()["persistentVolumeClaim"] = {{"claimName", claim}};
    }
}

bool is_kind(const json::value& object, std::string_view kind) {
    return text_at(object, "kind") == kind;
}

/// Keeps the ordinals of a StatefulSet's pods, by which the StatefulSet knows them.
void keep_numbers(Aliases& aliases, const json::value& pod) {
    const std::string_view pod_name = text_at(pod, "metadata.name");
    for (const json::value& owner : list_at(pod, "metadata.ownerReferences")) {
        const std::string_view owner_name = text_at(owner, "name");
        if (is_kind(owner, "StatefulSet") && !pod_name.empty() && !owner_name.empty())
            aliases.keep_number(pod_name, owner_name);
    }
}

/// Removes the reasons why kinds are absent, because they may quote names.
void forget_reasons(json::value& header) {
    boost::system::error_code absent;
    json::value* outcomes = header.find_pointer("/metadata/annotations", absent);
    if (outcomes == nullptr || !outcomes->is_object()) return;
    for (auto& outcome : outcomes->get_object())
        if (string_in(outcome.value()) != asked_for) outcome.value() = "not taken";
}

}  // namespace

void make_anonymous(json::array& objects) {
    Aliases aliases;
    for (json::value& object : objects) {
        if (is_kind(object, dump_header_kind)) forget_reasons(object);
        if (is_kind(object, "Pod")) {
            name_ephemeral_claims(object);
            keep_numbers(aliases, object);
        }
        rewrites::object(aliases, object);  // first round: collects the texts
    }
    aliases.number();
    for (json::value& object : objects)
        if (!is_kind(object, dump_header_kind)) object = rewrites::object(aliases, object);
}

}  // namespace capstan::autoscaler::dump
