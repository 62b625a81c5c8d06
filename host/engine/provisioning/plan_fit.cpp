#include "engine/provisioning/plan_fit.hpp"

#include <algorithm>

#include <capstan/taints.hpp>

namespace capstan::engine::provisioning {
namespace {

/// Why the pod would not run there; empty: it would.
std::string why_not_on_sketch(const NodeTemplate& sketch, const PodEquivalenceGroup& pod) {
    if (!selects(pod, sketch.labels, {})) return "it asks for other labels";
    if (const Taint* taint = find_untolerated(sketch.taints, pod.tolerations))
        return "it does not tolerate " + to_string(*taint);
    return find_shortage(pod.requests, sketch.allocatable).value_or("");
}

}  // namespace

NodeTemplate make_sketch(const MachineType& type, const MachineOffering* offer,
                         const GroupPlan& plan) {
    NodeTemplate out{.name = plan.name,
                     .machine_type = type.name,
                     .zone = plan.zone,
                     .labels = plan.labels,
                     .taints = plan.taints,
                     .capacity = type.capacity,
                     .allocatable = type.allocatable,
                     .free = type.allocatable};
    if (offer != nullptr) out.labels.insert(offer->labels.begin(), offer->labels.end());
    out.labels.insert(type.labels.begin(), type.labels.end());
    out.taints.insert(out.taints.end(), type.taints.begin(), type.taints.end());
    return out;
}

const MachineOffering* find_offer(const MachineType& type, const GroupPlan& plan) noexcept {
    const auto at = std::ranges::find_if(type.offerings, [&](const MachineOffering& offer) {
        return offer.zone == plan.zone && offer.spot == plan.spot;
    });
    return at == type.offerings.end() ? nullptr : &*at;
}

std::optional<std::string> why_useless(const NodeTemplate& sketch,
                                       std::span<const PodEquivalenceGroup> pods) {
    std::string first;
    for (const PodEquivalenceGroup& pod : pods) {
        const std::string refusal = why_not_on_sketch(sketch, pod);
        if (refusal.empty()) return std::nullopt;
        if (first.empty()) first = "pod " + pod.ns + "/" + pod.example + ": " + refusal;
    }
    return "no pod that waits would run on it" + (first.empty() ? "" : "; " + first);
}

}  // namespace capstan::engine::provisioning
