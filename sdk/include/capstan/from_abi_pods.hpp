/// from_abi.hpp for the request side: equivalence groups and scale-up options, with the same checks
/// and errors.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/from_abi.hpp>
#include <capstan/scale_up_option.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

inline Result<Requirement> requirement_from_abi(const capstan_requirement& raw) {
    CAPSTAN_CHECK(check_size(raw));
    if (raw.op < CAPSTAN_OPERATOR_IN || raw.op > CAPSTAN_OPERATOR_LT) {
        return misfit("op is " + std::to_string(raw.op) + ", which is unknown");
    }
    CAPSTAN_TRY(std::string key, text_from_abi("key", raw.key, Text::required));
    const auto value_from_abi = [](const capstan_str& s) { return text_from_abi("value", s); };
    CAPSTAN_TRY(std::vector<std::string> values,
                list_from_abi<capstan_str>("values", raw.values, value_from_abi));
    return Requirement{std::move(key), static_cast<Operator>(raw.op), std::move(values)};
}

inline Result<NodeSelectorTerm> term_from_abi(const capstan_node_selector_term& raw) {
    CAPSTAN_CHECK(check_size(raw));
    if (raw.weight < 0 || raw.weight > 100)
        return misfit("weight is " + std::to_string(raw.weight));
    NodeSelectorTerm out;
    out.weight = raw.weight;
    CAPSTAN_TRY(out.labels,
                list_from_abi<capstan_requirement>("labels", raw.labels, requirement_from_abi));
    CAPSTAN_TRY(out.fields,
                list_from_abi<capstan_requirement>("fields", raw.fields, requirement_from_abi));
    return out;
}

inline Result<Toleration> toleration_from_abi(const capstan_toleration& raw) {
    CAPSTAN_CHECK(check_size(raw));
    if (raw.op != CAPSTAN_TOLERATION_EQUAL && raw.op != CAPSTAN_TOLERATION_EXISTS) {
        return misfit("op is " + std::to_string(raw.op) + ", which is unknown");
    }
    Toleration out;
    CAPSTAN_TRY(out.key, text_from_abi("key", raw.key));
    CAPSTAN_TRY(out.value, text_from_abi("value", raw.value));
    out.op = static_cast<Toleration::Op>(raw.op);
    out.effect = find_effect(raw.effect);
    if (!out.effect && raw.effect != 0)
        return misfit("effect is " + std::to_string(raw.effect) + ", which is unknown");
    return out;
}

inline Result<void> placement_from_abi(const capstan_pod_equivalence_group& raw,
                                       PodEquivalenceGroup& out) {
    CAPSTAN_TRY(out.node_selector, labels_from_abi("node_selector", raw.node_selector));
    CAPSTAN_TRY(out.affinity_required,
                list_from_abi<capstan_node_selector_term>("affinity_required",
                                                          raw.affinity_required, term_from_abi));
    CAPSTAN_TRY(out.affinity_preferred,
                list_from_abi<capstan_node_selector_term>("affinity_preferred",
                                                          raw.affinity_preferred, term_from_abi));
    CAPSTAN_TRY(out.tolerations, list_from_abi<capstan_toleration>("tolerations", raw.tolerations,
                                                                   toleration_from_abi));
    return {};
}

/// A list of shares whose indices are below `equivalence_groups`.
inline Result<PodShares> shares_from_abi(capstan_array array, std::uint32_t equivalence_groups) {
    const auto share_from_abi = [&](const capstan_pod_share& share) -> Result<PodShare> {
        if (share.equivalence_group < equivalence_groups) return share;
        return misfit("equivalence_group is " + std::to_string(share.equivalence_group) +
                      ", the request has " + std::to_string(equivalence_groups));
    };
    CAPSTAN_TRY(std::vector<PodShare> shares,
                list_from_abi<capstan_pod_share>("pods", array, share_from_abi));
    return shares.empty() ? PodShares() : share(std::move(shares));
}

}  // namespace detail

inline Result<PodEquivalenceGroup> equivalence_group_from_abi(
    const capstan_pod_equivalence_group& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    PodEquivalenceGroup out;
    out.count = raw.count;
    out.priority = raw.priority;
    CAPSTAN_TRY(out.ns, detail::text_from_abi("ns", raw.ns));
    CAPSTAN_TRY(out.example, detail::text_from_abi("example", raw.example));
    CAPSTAN_TRY(out.owner_kind, detail::text_from_abi("owner_kind", raw.owner_kind));
    CAPSTAN_TRY(out.owner_name, detail::text_from_abi("owner_name", raw.owner_name));
    CAPSTAN_TRY(out.scheduler, detail::text_from_abi("scheduler", raw.scheduler));
    CAPSTAN_TRY(out.requests, detail::resources_from_abi("requests", raw.requests));
    CAPSTAN_TRY(out.labels, detail::labels_from_abi("labels", raw.labels));
    CAPSTAN_TRY(out.annotations, detail::labels_from_abi("annotations", raw.annotations));
    CAPSTAN_CHECK(detail::placement_from_abi(raw, out));
    return out;
}

/// `equivalence_groups`: the number in the request. Each result owns its template and its list of
/// pods.
inline Result<ScaleUpOption> option_from_abi(const capstan_option& raw,
                                             std::uint32_t equivalence_groups) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.nodes < 1)
        return detail::misfit("nodes is " + std::to_string(raw.nodes) + ", expected at least 1");
    if (raw.group == nullptr) return detail::misfit("group is NULL");
    Result<NodeGroup> group = group_from_abi(*raw.group);
    if (!group) return detail::misfit_in("group", std::move(group).error());
    ScaleUpOption out{std::move(*group)};
    if (raw.node != nullptr) {
        Result<NodeTemplate> node = template_from_abi(*raw.node);
        if (!node) return detail::misfit_in("node", std::move(node).error());
        out.node = std::make_shared<const NodeTemplate>(std::move(*node));
    }
    out.nodes = raw.nodes;
    CAPSTAN_TRY(out.pods, detail::shares_from_abi(raw.pods, equivalence_groups));
    CAPSTAN_TRY(out.requested, detail::resources_from_abi("requested", raw.requested));
    out.pod_count = raw.pod_count;
    CAPSTAN_TRY(out.similar, detail::names_from_abi<NodeGroupId>("similar", raw.similar));
    if ((raw.present & CAPSTAN_OPTION_PRICE) != 0) out.price_per_hour = raw.price_per_hour;
    if (out.price_per_hour && !std::isfinite(*out.price_per_hour))
        return detail::misfit("price_per_hour is not a number");
    out.group_exists = raw.group_exists != 0;
    return out;
}

CAPSTAN_NAMESPACE_END
