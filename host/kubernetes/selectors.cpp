#include "kubernetes/selectors.hpp"

#include <optional>
#include <string>

namespace capstan::kubernetes {
namespace {

bool is_about_order(Operator op) { return op == Operator::gt || op == Operator::lt; }

Requirement decode_requirement(const JsonCursor& expression, bool with_order) {
    Requirement out{.key = std::string(expression.required("key").text().value_or(""))};
    const JsonCursor op = expression.required("operator");
    const std::optional<Operator> known = find_operator(op.text().value_or(""));
    if (!known || (is_about_order(*known) && !with_order)) {
        if (op.text())
            op.expects(with_order ? "In, NotIn, Exists, DoesNotExist, Gt or Lt"
                                  : "In, NotIn, Exists or DoesNotExist");
        return out;
    }
    out.op = *known;
    for (const JsonCursor& value : expression["values"].items())
        out.values.emplace_back(value.text().value_or(""));
    return out;
}

std::vector<Requirement> decode_requirements(const JsonCursor& expressions, bool with_order) {
    std::vector<Requirement> out;
    for (const JsonCursor& e : expressions.items())
        out.push_back(decode_requirement(e, with_order));
    return out;
}

}  // namespace

std::vector<Requirement> decode_node_requirements(const JsonCursor& expressions) {
    return decode_requirements(expressions, true);
}

std::vector<Requirement> decode_label_requirements(const JsonCursor& expressions) {
    return decode_requirements(expressions, false);
}

std::optional<LabelSelector> decode_label_selector(const JsonCursor& selector) {
    if (selector.is_absent()) return std::nullopt;
    return LabelSelector{
        .match_labels = selector["matchLabels"].labels(),
        .match_expressions = decode_label_requirements(selector["matchExpressions"])};
}

std::string decode_text(const JsonCursor& place) { return std::string(place.text().value_or("")); }

std::vector<std::string> decode_texts(const JsonCursor& list) {
    std::vector<std::string> out;
    for (const JsonCursor& item : list.items()) {
        if (const auto text = item.text()) out.emplace_back(*text);
    }
    return out;
}

namespace {

std::string text_or_empty(const JsonCursor& place) {
    return std::string(place.text().value_or(""));
}

/// A malformed term matches no node: without its malformed requirement it would let the pod on more
/// nodes.
NodeSelectorTerm decode_node_term(const JsonCursor& term, int weight) {
    const Complaints complaints(term);
    NodeSelectorTerm out{.labels = decode_node_requirements(term["matchExpressions"]),
                         .fields = decode_node_requirements(term["matchFields"]),
                         .weight = weight};
    return complaints.any() ? NodeSelectorTerm{.weight = weight} : out;
}

std::optional<Toleration> decode_toleration(const JsonCursor& place) {
    Toleration out{.key = text_or_empty(place["key"]), .value = text_or_empty(place["value"])};
    const std::string op = text_or_empty(place["operator"]);
    if (op == "Exists") {
        out.op = Toleration::Op::exists;
    } else if (op == "Gt" || op == "Lt") {
        place["operator"].complain("is " + op +
                                   ", which is not supported; the toleration is ignored");
        return std::nullopt;
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

std::vector<NodeSelectorTerm> decode_node_selector(const JsonCursor& selector) {
    const Complaints complaints(selector);
    std::vector<NodeSelectorTerm> out;
    for (const JsonCursor& term : selector["nodeSelectorTerms"].items())
        out.push_back(decode_node_term(term, 0));
    if (out.empty() && (selector || complaints.any())) out.emplace_back();
    return out;
}

std::vector<NodeSelectorTerm> decode_required_affinity(const JsonCursor& node_affinity) {
    const Complaints complaints(node_affinity);
    auto out =
        decode_node_selector(node_affinity["requiredDuringSchedulingIgnoredDuringExecution"]);
    if (out.empty() && complaints.any()) out.emplace_back();
    return out;
}

std::vector<NodeSelectorTerm> decode_preferred_affinity(const JsonCursor& node_affinity) {
    std::vector<NodeSelectorTerm> out;
    for (const JsonCursor& term :
         node_affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
        const auto weight = term.required("weight").integer(1, 100);
        if (weight) out.push_back(decode_node_term(term["preference"], static_cast<int>(*weight)));
    }
    return out;
}

std::vector<Toleration> decode_tolerations(const JsonCursor& tolerations) {
    std::vector<Toleration> out;
    for (const JsonCursor& place : tolerations.items()) {
        const Complaints complaints(place);
        std::optional<Toleration> toleration = decode_toleration(place);
        // A toleration without its malformed key would tolerate any taint.
        if (toleration && !complaints.any()) out.push_back(*std::move(toleration));
    }
    return out;
}

}  // namespace capstan::kubernetes
