#include "simulation/control_plane/workloads/stateful_pods.hpp"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/workloads/revisions.hpp"

namespace capstan::simulation {
namespace {

std::string pod_name(const json::object& set, std::int64_t ordinal) {
    return std::string(text_at(set, "metadata.name")) + "-" + std::to_string(ordinal);
}

std::vector<const json::object*> claim_templates(const json::object& set) {
    std::vector<const json::object*> out;
    if (const json::array* list = find_array(set, "spec.volumeClaimTemplates"))
        for (const json::value& item : *list)
            if (const json::object* claim = item.if_object()) out.push_back(claim);
    return out;
}

/// "data-web-3"
std::string claim_name(const json::object& claim, const std::string& pod) {
    return std::string(text_at(claim, "metadata.name")) + "-" + pod;
}

void add_volumes(json::object& pod, const json::object& set, const std::string& name) {
    json::array volumes;
    for (const json::object* claim : claim_templates(set))
        volumes.push_back(json::object{
            {"name", json_view(text_at(*claim, "metadata.name"))},
            {"persistentVolumeClaim", json::object{{"claimName", claim_name(*claim, name)}}}});
    if (const json::array* own = find_array(pod, "spec.volumes"))
        for (const json::value& volume : *own) volumes.push_back(volume);
    if (!volumes.empty()) set_value(pod, "spec.volumes", std::move(volumes));
}

}  // namespace

std::optional<std::int64_t> find_ordinal(const json::object& set, const json::object& pod) {
    std::string_view name = text_at(pod, "metadata.name");
    const std::string start = std::string(text_at(set, "metadata.name")) + "-";
    if (!name.starts_with(start)) return std::nullopt;
    name.remove_prefix(start.size());
    std::int64_t out = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), out);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
    return out;
}

json::object make_stateful_pod(const Workload& set, std::int64_t ordinal,
                               std::string_view revision_hash) {
    json::object pod = make_pod(set);
    const std::string name = pod_name(*set.object, ordinal);
    json::object& metadata = make_object(pod, "metadata");
    metadata.erase("generateName");
    metadata["name"] = name;
    set_label(pod, "statefulset.kubernetes.io/pod-name", name);
    set_label(pod, "apps.kubernetes.io/pod-index", std::to_string(ordinal));
    set_label(pod, revision_label, revision_hash);
    json::object& spec = make_object(pod, "spec");
    spec["hostname"] = name;
    if (const std::string_view service = text_at(*set.object, "spec.serviceName"); !service.empty())
        spec["subdomain"] = json_view(service);
    add_volumes(pod, *set.object, name);
    return pod;
}

void make_claims(ControlContext& context, const Workload& set, std::int64_t ordinal) {
    const std::string_view space = text_at(*set.object, "metadata.namespace");
    for (const json::object* from : claim_templates(*set.object)) {
        const std::string name = claim_name(*from, pod_name(*set.object, ordinal));
        if (context.find("persistentvolumeclaims", object_key(space, name)) != nullptr) continue;
        json::object claim = *from;
        make_object(claim, "metadata")["name"] = name;
        if (const json::object* labels = find_object(*set.object, "spec.selector.matchLabels"))
            for (const auto& [key, value] : *labels)
                make_object(make_object(claim, "metadata"), "labels")[key] = value;
        context.create("persistentvolumeclaims", space, std::move(claim));
    }
}

}  // namespace capstan::simulation
