#include "simulation/live/pod_manifest.hpp"

#include <chrono>
#include <string>

#include <capstan/quantity.hpp>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {
namespace {

json::array texts_of(const std::vector<std::string>& texts) {
    return json::array(texts.begin(), texts.end());
}

json::object manifest_of(const Requirement& requirement) {
    json::object out{{"key", requirement.key}, {"operator", json_view(name_of(requirement.op))}};
    if (!requirement.values.empty()) out["values"] = texts_of(requirement.values);
    return out;
}

json::object manifest_of(const Toleration& toleration) {
    json::object out{{"operator", toleration.op == Toleration::Op::exists ? "Exists" : "Equal"}};
    if (!toleration.key.empty()) out["key"] = toleration.key;
    if (toleration.op == Toleration::Op::equal) out["value"] = toleration.value;
    if (toleration.effect) out["effect"] = json_view(name_of(*toleration.effect));
    return out;
}

json::object manifest_of(const engine::PodTerm& term) {
    json::object out{{"topologyKey", term.topology_key}};
    if (term.selector) out["labelSelector"] = simulation::manifest_of(*term.selector);
    if (!term.namespaces.empty()) out["namespaces"] = texts_of(term.namespaces);
    return out;
}

json::object manifest_of(const engine::SpreadConstraint& constraint) {
    json::object out{{"maxSkew", constraint.max_skew},
                     {"topologyKey", constraint.topology_key},
                     {"whenUnsatisfiable", "DoNotSchedule"}};
    if (constraint.selector) out["labelSelector"] = simulation::manifest_of(*constraint.selector);
    if (constraint.min_domains) out["minDomains"] = *constraint.min_domains;
    return out;
}

template <class Items>
json::array list_of(const Items& items) {
    json::array out;
    for (const auto& item : items) out.push_back(manifest_of(item));
    return out;
}

json::object affinity_of(const engine::PodSpec& spec) {
    constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
    json::object out;
    if (!spec.pod_affinity.empty())
        out["podAffinity"] = json::object{{required, list_of(spec.pod_affinity)}};
    if (!spec.pod_anti_affinity.empty())
        out["podAntiAffinity"] = json::object{{required, list_of(spec.pod_anti_affinity)}};
    return out;
}

json::array volumes_of(const engine::PodSpec& spec) {
    json::array out;
    for (const std::string& name : spec.local_volumes)
        out.push_back(json::object{{"name", name}, {"emptyDir", json::object()}});
    return out;
}

void set_unless_empty(json::object& object, const char* key, json::array list) {
    if (!list.empty()) object[key] = std::move(list);
}
void set_unless_empty(json::object& object, const char* key, json::object members) {
    if (!members.empty()) object[key] = std::move(members);
}

}  // namespace

json::object manifest_of(const Labels& labels) {
    json::object out;
    for (const auto& [key, value] : labels) out[key] = value;
    return out;
}

json::object manifest_of(const LabelSelector& selector) {
    json::object out;
    set_unless_empty(out, "matchLabels", manifest_of(selector.match_labels));
    set_unless_empty(out, "matchExpressions", list_of(selector.match_expressions));
    return out;
}

json::object manifest_of(const Resources& amounts) {
    json::object out;
    for (const auto& [resource, amount] : amounts) out[resource] = format_amount(resource, amount);
    return out;
}

json::object manifest_of(const engine::PodSpec& spec, const std::string& image) {
    json::object container{{"name", "main"}, {"image", image}};
    if (json::object requests = manifest_of(spec.requests); !requests.empty())
        container["resources"] = json::object{{"requests", std::move(requests)}};
    json::object out{{"containers", json::array{std::move(container)}}};
    set_unless_empty(out, "nodeSelector", manifest_of(spec.node_selector));
    set_unless_empty(out, "tolerations", list_of(spec.tolerations));
    set_unless_empty(out, "affinity", affinity_of(spec));
    set_unless_empty(out, "topologySpreadConstraints", list_of(spec.spread));
    set_unless_empty(out, "volumes", volumes_of(spec));
    if (spec.priority.value_or(0) != 0) out["priority"] = *spec.priority;
    if (spec.termination_grace) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(*spec.termination_grace);
        out["terminationGracePeriodSeconds"] = seconds.count();
    }
    return out;
}

}  // namespace capstan::simulation
