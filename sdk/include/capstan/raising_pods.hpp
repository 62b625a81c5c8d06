/// raising.hpp for the question side: pod classes and scale-up options, with the same checks and
/// errors.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/raising.hpp>
#include <capstan/scale_up_option.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

inline Result<Requirement> raise_requirement(const capstan_requirement& raw) {
    CAPSTAN_CHECK(check_size(raw));
    if (raw.op < CAPSTAN_OPERATOR_IN || raw.op > CAPSTAN_OPERATOR_LT) {
        return misfit("op is " + std::to_string(raw.op) + ", which is none");
    }
    CAPSTAN_TRY(std::string key, raise_text("key", raw.key, Text::required));
    const auto raise_value = [](const capstan_str& s) { return raise_text("value", s); };
    CAPSTAN_TRY(std::vector<std::string> values,
                raise_list<capstan_str>("values", raw.values, raise_value));
    return Requirement{std::move(key), static_cast<Operator>(raw.op), std::move(values)};
}

inline Result<NodeSelectorTerm> raise_term(const capstan_node_selector_term& raw) {
    CAPSTAN_CHECK(check_size(raw));
    if (raw.weight < 0 || raw.weight > 100)
        return misfit("weight is " + std::to_string(raw.weight));
    NodeSelectorTerm out;
    out.weight = raw.weight;
    CAPSTAN_TRY(out.labels,
                raise_list<capstan_requirement>("labels", raw.labels, raise_requirement));
    CAPSTAN_TRY(out.fields,
                raise_list<capstan_requirement>("fields", raw.fields, raise_requirement));
    return out;
}

inline Result<Toleration> raise_toleration(const capstan_toleration& raw) {
    CAPSTAN_CHECK(check_size(raw));
    if (raw.op != CAPSTAN_TOLERATION_EQUAL && raw.op != CAPSTAN_TOLERATION_EXISTS) {
        return misfit("op is " + std::to_string(raw.op) + ", which is none");
    }
    Toleration out;
    CAPSTAN_TRY(out.key, raise_text("key", raw.key));
    CAPSTAN_TRY(out.value, raise_text("value", raw.value));
    out.op = static_cast<Toleration::Op>(raw.op);
    out.effect = find_effect(raw.effect);
    if (!out.effect && raw.effect != 0)
        return misfit("effect is " + std::to_string(raw.effect) + ", which is none");
    return out;
}

inline Result<void> raise_placement(const capstan_pod_class& raw, PodClass& out) {
    CAPSTAN_TRY(out.node_selector, raise_labels("node_selector", raw.node_selector));
    CAPSTAN_TRY(out.affinity_required, raise_list<capstan_node_selector_term>(
                                           "affinity_required", raw.affinity_required, raise_term));
    CAPSTAN_TRY(out.affinity_preferred,
                raise_list<capstan_node_selector_term>("affinity_preferred", raw.affinity_preferred,
                                                       raise_term));
    CAPSTAN_TRY(out.tolerations,
                raise_list<capstan_toleration>("tolerations", raw.tolerations, raise_toleration));
    return {};
}

/// A list of shares whose indices are below `pod_classes`.
inline Result<PodShares> raise_shares(capstan_array array, std::uint32_t pod_classes) {
    const auto raise_share = [&](const capstan_pod_share& share) -> Result<PodShare> {
        if (share.pod_class < pod_classes) return share;
        return misfit("pod_class is " + std::to_string(share.pod_class) + ", there are " +
                      std::to_string(pod_classes));
    };
    CAPSTAN_TRY(std::vector<PodShare> shares,
                raise_list<capstan_pod_share>("pods", array, raise_share));
    return shares.empty() ? PodShares() : share(std::move(shares));
}

}  // namespace detail

inline Result<PodClass> raise_pod_class(const capstan_pod_class& raw) {
    CAPSTAN_CHECK(detail::check_size(raw));
    PodClass out;
    out.count = raw.count;
    out.priority = raw.priority;
    CAPSTAN_TRY(out.ns, detail::raise_text("ns", raw.ns));
    CAPSTAN_TRY(out.example, detail::raise_text("example", raw.example));
    CAPSTAN_TRY(out.owner_kind, detail::raise_text("owner_kind", raw.owner_kind));
    CAPSTAN_TRY(out.owner_name, detail::raise_text("owner_name", raw.owner_name));
    CAPSTAN_TRY(out.scheduler, detail::raise_text("scheduler", raw.scheduler));
    CAPSTAN_TRY(out.requests, detail::raise_resources("requests", raw.requests));
    CAPSTAN_TRY(out.labels, detail::raise_labels("labels", raw.labels));
    CAPSTAN_TRY(out.annotations, detail::raise_labels("annotations", raw.annotations));
    CAPSTAN_CHECK(detail::raise_placement(raw, out));
    return out;
}

/// `pod_classes`: how many the question has. Each answer owns its template and its list of pods.
inline Result<ScaleUpOption> raise_option(const capstan_option& raw, std::uint32_t pod_classes) {
    CAPSTAN_CHECK(detail::check_size(raw));
    if (raw.nodes < 1)
        return detail::misfit("nodes is " + std::to_string(raw.nodes) + ", at least 1 is needed");
    if (raw.group == nullptr) return detail::misfit("group is NULL");
    Result<NodeGroup> group = raise_group(*raw.group);
    if (!group) return detail::misfit_in("group", std::move(group).error());
    ScaleUpOption out{std::move(*group)};
    if (raw.node != nullptr) {
        Result<NodeTemplate> node = raise_template(*raw.node);
        if (!node) return detail::misfit_in("node", std::move(node).error());
        out.node = std::make_shared<const NodeTemplate>(std::move(*node));
    }
    out.nodes = raw.nodes;
    CAPSTAN_TRY(out.pods, detail::raise_shares(raw.pods, pod_classes));
    CAPSTAN_TRY(out.requested, detail::raise_resources("requested", raw.requested));
    out.pod_count = raw.pod_count;
    CAPSTAN_TRY(out.similar, detail::raise_names<NodeGroupId>("similar", raw.similar));
    if ((raw.present & CAPSTAN_OPTION_PRICE) != 0) out.price_per_hour = raw.price_per_hour;
    if (out.price_per_hour && !std::isfinite(*out.price_per_hour))
        return detail::misfit("price_per_hour is no number");
    out.group_exists = raw.group_exists != 0;
    return out;
}

CAPSTAN_NAMESPACE_END
