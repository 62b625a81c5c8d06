#include "kubernetes/node_selection.hpp"

#include <string>

namespace capstan::kubernetes {
namespace {

std::string text_or_empty(const JsonPlace& place) { return std::string(place.text().value_or("")); }

/// With an operator that is none the requirement gets no values, so that it matches nothing, as in
/// Kubernetes.
Requirement decode_requirement(const JsonPlace& expression) {
    Requirement out{.key = text_or_empty(expression.required("key"))};
    const JsonPlace op = expression.required("operator");
    const std::optional<Operator> known = find_operator(op.text().value_or(""));
    if (!known) {
        if (op.text()) op.expects("In, NotIn, Exists, DoesNotExist, Gt or Lt");
        return out;
    }
    out.op = *known;
    for (const JsonPlace& value : expression["values"].items())
        out.values.push_back(text_or_empty(value));
    return out;
}

NodeSelectorTerm decode_term(const JsonPlace& term, int weight) {
    NodeSelectorTerm out{.weight = weight};
    for (const JsonPlace& e : term["matchExpressions"].items())
        out.labels.push_back(decode_requirement(e));
    for (const JsonPlace& e : term["matchFields"].items())
        out.fields.push_back(decode_requirement(e));
    return out;
}

std::optional<Toleration> decode_toleration(const JsonPlace& place) {
    Toleration out{.key = text_or_empty(place["key"]), .value = text_or_empty(place["value"])};
    const std::string op = text_or_empty(place["operator"]);
    if (op == "Exists") {
        out.op = Toleration::Op::exists;
    } else if (!op.empty() && op != "Equal") {
        place["operator"].expects("Equal or Exists");
        return std::nullopt;
    }
    const std::string effect = text_or_empty(place["effect"]);
    out.effect = find_effect(effect);
    if (!out.effect && !effect.empty()) {
        place["effect"].expects("NoSchedule, PreferNoSchedule or NoExecute");
        return std::nullopt;
    }
    return out;
}

}  // namespace

std::vector<NodeSelectorTerm> decode_required_affinity(const JsonPlace& node_affinity) {
    const JsonPlace required = node_affinity["requiredDuringSchedulingIgnoredDuringExecution"];
    std::vector<NodeSelectorTerm> out;
    for (const JsonPlace& term : required["nodeSelectorTerms"].items())
        out.push_back(decode_term(term, 0));
    if (required && out.empty()) out.emplace_back();
    return out;
}

std::vector<NodeSelectorTerm> decode_preferred_affinity(const JsonPlace& node_affinity) {
    std::vector<NodeSelectorTerm> out;
    for (const JsonPlace& term :
         node_affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
        const auto weight = term.required("weight").integer(1, 100);
        if (weight) out.push_back(decode_term(term["preference"], static_cast<int>(*weight)));
    }
    return out;
}

std::vector<Toleration> decode_tolerations(const JsonPlace& tolerations) {
    std::vector<Toleration> out;
    for (const JsonPlace& place : tolerations.items()) {
        if (std::optional<Toleration> toleration = decode_toleration(place))
            out.push_back(*std::move(toleration));
    }
    return out;
}

}  // namespace capstan::kubernetes
