#include <algorithm>

#include "engine/scheduling/pod_sets.hpp"
#include "engine/scheduling/predicates/selector_text.hpp"

namespace capstan::engine {
namespace {

void put_in(LabelSelector& selector, const Cluster& cluster, const ClassRow& owner,
            const std::vector<std::string>& keys, Operator op) {
    for (const std::string& key : keys) {
        const auto value = find_label(cluster, owner.labels, key);
        if (!value) continue;
        selector.match_expressions.push_back(
            {.key = key, .op = op, .values = {std::string(cluster.text(*value))}});
    }
}

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::string describe_selector(const LabelSelector& selector) {
    std::string out;
    for (const auto& [key, value] : selector.match_labels)
        out += (out.empty() ? "" : ",") + key + "=" + value;
    for (const Requirement& requirement : selector.match_expressions)
        out += (out.empty() ? "" : ",") + describe(requirement);
    return out.empty() ? "anything" : out;
}

}  // namespace

PodSelector make_selector(const Cluster& cluster, const ClassRow& owner, const PodTerm& term) {
    if (!term.selector) return {.none = true};
    PodSelector out{.namespaces = sorted(term.namespaces),
                    .namespaces_like = term.namespace_selector,
                    .labels = *term.selector};
    if (term.namespaces.empty() && !term.namespace_selector)
        out.namespaces.emplace_back(cluster.text(owner.ns));
    put_in(out.labels, cluster, owner, term.match_label_keys, Operator::in);
    put_in(out.labels, cluster, owner, term.mismatch_label_keys, Operator::not_in);
    return out;
}

PodSelector make_selector(const Cluster& cluster, const ClassRow& owner,
                          const SpreadConstraint& constraint) {
    if (!constraint.selector) return {.none = true};
    PodSelector out{.namespaces = {std::string(cluster.text(owner.ns))},
                    .labels = *constraint.selector};
    put_in(out.labels, cluster, owner, constraint.match_label_keys, Operator::in);
    out.none = out.labels == LabelSelector{};
    return out;
}

std::string describe(const PodSelector& selector) {
    if (selector.none) return "no pods";
    std::string where;
    for (const std::string& ns : selector.namespaces) where += (where.empty() ? "" : ", ") + ns;
    if (selector.namespaces_like) {
        where += (where.empty() ? "" : " or ") + std::string("those with ") +
                 describe_selector(*selector.namespaces_like);
    }
    return "pods with " + describe_selector(selector.labels) + " in namespace " + where;
}

}  // namespace capstan::engine
