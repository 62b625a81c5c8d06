/// Labels, and Kubernetes' two kinds of selectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/abi/model.h>
#include <capstan/namespace.hpp>
#include <capstan/whole_number.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Labels, annotations, tags: text by key.
using Labels = std::map<std::string, std::string, std::less<>>;

enum class Operator : std::int32_t {
    in = CAPSTAN_OPERATOR_IN,
    not_in = CAPSTAN_OPERATOR_NOT_IN,
    exists = CAPSTAN_OPERATOR_EXISTS,
    does_not_exist = CAPSTAN_OPERATOR_DOES_NOT_EXIST,
    gt = CAPSTAN_OPERATOR_GT,
    lt = CAPSTAN_OPERATOR_LT,
};

/// Kubernetes' spelling; "Unknown" for an unknown value.
constexpr std::string_view name_of(Operator op) noexcept {
    switch (op) {
        case Operator::in: return "In";
        case Operator::not_in: return "NotIn";
        case Operator::exists: return "Exists";
        case Operator::does_not_exist: return "DoesNotExist";
        case Operator::gt: return "Gt";
        case Operator::lt: return "Lt";
    }
    return "Unknown";
}

inline std::optional<Operator> find_operator(std::string_view name) noexcept {
    for (auto op : {Operator::in, Operator::not_in, Operator::exists, Operator::does_not_exist,
                    Operator::gt, Operator::lt}) {
        if (name_of(op) == name) return op;
    }
    return std::nullopt;
}

/// One expression of a selector.
struct Requirement {
    std::string key{};
    Operator op = Operator::in;
    std::vector<std::string> values{};
    bool operator==(const Requirement&) const = default;
};

/// Matches objects with all `match_labels` that satisfy all `match_expressions`. An empty selector
/// matches everything.
struct LabelSelector {
    Labels match_labels{};
    std::vector<Requirement> match_expressions{};
    bool operator==(const LabelSelector&) const = default;
};

/// Matches nodes that satisfy all requirements. A term without requirements matches no node.
struct NodeSelectorTerm {
    std::vector<Requirement> labels{};  ///< matchExpressions
    std::vector<Requirement> fields{};  ///< matchFields; only "metadata.name" exists
    int weight = 0;                     ///< 1 to 100 in a preferred term, otherwise 0
    bool operator==(const NodeSelectorTerm&) const = default;
};

namespace detail {

inline bool compares(const Requirement& r, std::string_view label) noexcept {
    const auto ours = find_whole_number(label);
    const auto bound = find_whole_number(r.values.front());
    return ours && bound && (r.op == Operator::gt ? *ours > *bound : *ours < *bound);
}

inline bool is_among(const std::vector<std::string>& values, std::string_view value) noexcept {
    return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace detail

/// Whether the values fit the operator. In Kubernetes an expression whose values do not fit matches
/// nothing.
inline bool is_well_formed(const Requirement& r) noexcept {
    switch (r.op) {
        case Operator::in:
        case Operator::not_in: return !r.values.empty();
        case Operator::exists:
        case Operator::does_not_exist: return r.values.empty();
        case Operator::gt:
        case Operator::lt:
            return r.values.size() == 1 && find_whole_number(r.values.front()).has_value();
    }
    return false;
}

/// `label`: the value of the requirement's key; absent: there is no such label. NotIn matches if
/// the key is absent; Gt and Lt match only if label and value are decimal int64.
inline bool matches_value(const Requirement& r, std::optional<std::string_view> label) noexcept {
    if (!is_well_formed(r)) return false;
    switch (r.op) {
        case Operator::in: return label && detail::is_among(r.values, *label);
        case Operator::not_in: return !label || !detail::is_among(r.values, *label);
        case Operator::exists: return label.has_value();
        case Operator::does_not_exist: return !label;
        case Operator::gt:
        case Operator::lt: return label && detail::compares(r, *label);
    }
    return false;
}

/// matches_value for the label with the requirement's key.
inline bool matches(const Requirement& r, const Labels& labels) noexcept {
    const auto at = labels.find(r.key);
    return matches_value(
        r, at == labels.end() ? std::nullopt : std::optional<std::string_view>(at->second));
}

/// True if `labels` has every pair of `wanted`, as a nodeSelector demands.
inline bool has_all(const Labels& labels, const Labels& wanted) noexcept {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
        const auto at = labels.find(pair.first);
        return at != labels.end() && at->second == pair.second;
    });
}

/// Gt and Lt are not part of label selectors; a selector with them matches nothing.
inline bool matches(const LabelSelector& selector, const Labels& labels) noexcept {
    return has_all(labels, selector.match_labels) &&
           std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                       [&](const auto& r) {
                           return r.op != Operator::gt && r.op != Operator::lt &&
                                  matches(r, labels);
                       });
}

/// A field requirement is In or NotIn with one value on "metadata.name"; others never match.
inline bool matches_field(const Requirement& r, std::string_view node_name) noexcept {
    if (r.key != "metadata.name" || r.values.size() != 1) return false;
    if (r.op == Operator::in) return r.values.front() == node_name;
    return r.op == Operator::not_in && r.values.front() != node_name;
}

inline bool matches(const NodeSelectorTerm& term, const Labels& labels,
                    std::string_view node_name) noexcept {
    if (term.labels.empty() && term.fields.empty()) return false;
    return std::all_of(term.labels.begin(), term.labels.end(),
                       [&](const auto& r) { return matches(r, labels); }) &&
           std::all_of(term.fields.begin(), term.fields.end(),
                       [&](const auto& r) { return matches_field(r, node_name); });
}

/// A required node affinity: one of its terms must match, so an empty list matches no node.
inline bool matches_any(const std::vector<NodeSelectorTerm>& terms, const Labels& labels,
                        std::string_view node_name) noexcept {
    return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
        return matches(term, labels, node_name);
    });
}

CAPSTAN_NAMESPACE_END
