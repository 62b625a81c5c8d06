#include "kubernetes/node_decode.hpp"

#include <string>
#include <utility>
#include <vector>

#include "kubernetes/metadata.hpp"
#include "kubernetes/resource_list.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes {
namespace {

Taint decode_taint(const JsonPlace& place) {
    Taint out{.key = std::string(place.required("key").name().value_or("")),
              .value = std::string(place["value"].text().value_or(""))};
    const JsonPlace effect = place.required("effect");
    const std::optional<Effect> known = find_effect(effect.text().value_or(""));
    if (known) {
        out.effect = *known;
    } else if (effect.text()) {
        effect.expects("NoSchedule, PreferNoSchedule or NoExecute");
    }
    return out;
}

void decode_readiness(const JsonPlace& conditions, engine::NodeObject& out) {
    const std::vector<JsonPlace> all = conditions.items();
    out.ready = all.empty();
    for (const JsonPlace& condition : all) {
        if (condition["type"].text() == "Suspended")
            out.suspended = condition["status"].text() == "True";
        if (condition["type"].text() != "Ready") continue;
        out.ready = condition["status"].text() == "True";
        out.ready_since = decode_timestamp(condition["lastTransitionTime"]).value_or(Time());
    }
}

void decode_node_status(const JsonPlace& status, engine::NodeObject& out) {
    const JsonPlace allocatable = status["allocatable"];
    out.capacity = rounded(decode_quantities(status["capacity"]));
    out.allocatable = allocatable ? rounded(decode_quantities(allocatable)) : out.capacity;
    decode_readiness(status["conditions"], out);
}

}  // namespace

std::optional<engine::NodeObject> decode_node(const JsonPlace& node) {
    ObjectMetadata metadata = decode_named(node);
    engine::NodeObject out{.name = std::move(metadata.name),
                           .labels = std::move(metadata.labels),
                           .annotations = std::move(metadata.annotations),
                           .created = metadata.created};
    const JsonPlace spec = node["spec"];
    const Complaints complaints(node);
    for (const JsonPlace& taint : spec["taints"].items()) out.taints.push_back(decode_taint(taint));
    out.unschedulable = spec["unschedulable"].boolean().value_or(false);
    const bool is_complete = metadata.is_identified && !complaints.any();
    out.provider_id = spec["providerID"].text().value_or("");
    decode_node_status(node["status"], out);
    return is_complete ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace capstan::kubernetes
