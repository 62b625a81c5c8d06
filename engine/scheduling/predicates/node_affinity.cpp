#include "engine/scheduling/predicates/node_affinity.hpp"

#include <set>
#include <string_view>

#include <capstan/labels.hpp>

#include "engine/scheduling/predicates/selector_text.hpp"

namespace capstan::engine::scheduling {
namespace {

using namespace std::string_literals;

std::string found(const Labels& labels, const std::string& key) {
    const auto at = labels.find(key);
    return at != labels.end() ? key + "=" + at->second : "no " + key;
}

/// What the node has for the keys of the terms.
std::string found(const NodeFacts& node, const std::vector<NodeSelectorTerm>& terms) {
    std::set<std::string_view> named;
    std::string out;
    const auto name = [&](const std::string& key, const std::string& what) {
        if (named.insert(key).second) out += (out.empty() ? "" : ", ") + what;
    };
    for (const NodeSelectorTerm& term : terms) {
        for (const Requirement& r : term.labels) name(r.key, found(node.labels, r.key));
        for (const Requirement& r : term.fields) {
            name(r.key, node.name.empty() ? "no name"s : "name " + std::string(node.name));
        }
    }
    return out.empty() ? ""s : ", the node has " + out;
}

}  // namespace

bool selects(const snapshot::PodSpec& pod, const NodeFacts& node) noexcept {
    return has_all(node.labels, pod.node_selector) &&
           (pod.affinity_required.empty() ||
            matches_any(pod.affinity_required, node.labels, node.name));
}

std::string_view find_unmet_key(const snapshot::PodSpec& pod, const NodeFacts& node) noexcept {
    for (const auto& [key, value] : pod.node_selector) {
        const auto at = node.labels.find(key);
        if (at == node.labels.end() || at->second != value) return key;
    }
    if (selects(pod, node)) return {};
    for (const NodeSelectorTerm& term : pod.affinity_required)
        if (!term.labels.empty()) return term.labels.front().key;
    return {};
}

std::optional<std::string> check_node_affinity(const snapshot::PodSpec& pod,
                                               const NodeFacts& node) {
    if (selects(pod, node)) return std::nullopt;
    const std::string words = "node(s) didn't match Pod's node affinity/selector: wants ";
    for (const auto& [key, value] : pod.node_selector) {
        const auto at = node.labels.find(key);
        if (at == node.labels.end() || at->second != value) {
            return words + key + "=" + value + ", the node has " + found(node.labels, key);
        }
    }
    return words + describe(pod.affinity_required) + found(node, pod.affinity_required);
}

}  // namespace capstan::engine::scheduling
