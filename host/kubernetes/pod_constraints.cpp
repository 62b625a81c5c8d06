#include "kubernetes/pod_constraints.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/selectors.hpp"

namespace capstan::kubernetes {
namespace {

std::string decode_topology_key(const JsonPlace& holder) {
    return std::string(holder.required("topologyKey").name().value_or(""));
}

engine::PodTerm decode_pod_term(const JsonPlace& term) {
    return {.selector = decode_label_selector(term["labelSelector"]),
            .namespaces = decode_texts(term["namespaces"]),
            .namespace_selector = decode_label_selector(term["namespaceSelector"]),
            .topology_key = decode_topology_key(term),
            .match_label_keys = decode_texts(term["matchLabelKeys"]),
            .mismatch_label_keys = decode_texts(term["mismatchLabelKeys"])};
}

std::optional<int> decode_positive(const JsonPlace& place) {
    const auto number = place.integer(1, std::numeric_limits<std::int32_t>::max());
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Whether a node inclusion policy is Honor.
bool decode_policy(const JsonPlace& policy, bool fallback) {
    const auto text = policy.text();
    if (!text) return fallback;
    if (*text != "Honor" && *text != "Ignore") policy.expects("Honor or Ignore");
    return *text == "Honor";
}

bool keeps_off(const JsonPlace& constraint) {
    const JsonPlace action = constraint.required("whenUnsatisfiable");
    const auto text = action.text();
    if (text && *text != "DoNotSchedule" && *text != "ScheduleAnyway")
        action.expects("DoNotSchedule or ScheduleAnyway");
    return text == "DoNotSchedule";
}

engine::SpreadConstraint decode_constraint(const JsonPlace& constraint) {
    return {.max_skew = decode_positive(constraint.required("maxSkew")).value_or(1),
            .topology_key = decode_topology_key(constraint),
            .selector = decode_label_selector(constraint["labelSelector"]),
            .min_domains = decode_positive(constraint["minDomains"]),
            .honor_affinity = decode_policy(constraint["nodeAffinityPolicy"], true),
            .honor_taints = decode_policy(constraint["nodeTaintsPolicy"], false),
            .match_label_keys = decode_texts(constraint["matchLabelKeys"])};
}

}  // namespace

std::vector<engine::PodTerm> decode_pod_terms(const JsonPlace& affinity) {
    std::vector<engine::PodTerm> out;
    for (const JsonPlace& term : affinity["requiredDuringSchedulingIgnoredDuringExecution"].items())
        out.push_back(decode_pod_term(term));
    return out;
}

std::vector<engine::SpreadConstraint> decode_spread(const JsonPlace& constraints) {
    std::vector<engine::SpreadConstraint> out;
    for (const JsonPlace& constraint : constraints.items()) {
        if (keeps_off(constraint)) out.push_back(decode_constraint(constraint));
    }
    return out;
}

}  // namespace capstan::kubernetes
