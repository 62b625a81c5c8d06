#include "engine/scheduling/pod_sets.hpp"

#include <algorithm>

#include "engine/snapshot/label_hash.hpp"

namespace capstan::engine {
namespace {

constexpr std::string_view name_label = "kubernetes.io/metadata.name";

std::uint64_t label_hash(std::string_view key, std::string_view value) noexcept {
    FastHash hash;
    hash.add(key);
    hash.add(value);
    return hash.value();
}

std::uint64_t selectors_hash(const std::vector<PodSelector>& all_of) noexcept {
    FastHash hash;
    for (const PodSelector& selector : all_of) {
        for (const std::string& ns : selector.namespaces) hash.add(ns);
        add(hash, selector.labels);
    }
    return hash.value();
}

/// Labels of which a pod must have one to be selected, by hash; each in a list of its own where
/// several requirements could serve.
std::vector<std::vector<std::uint64_t>> find_anchors(const LabelSelector& selector) {
    std::vector<std::vector<std::uint64_t>> out;
    for (const auto& [key, value] : selector.match_labels) out.push_back({label_hash(key, value)});
    for (const Requirement& requirement : selector.match_expressions) {
        if (requirement.op != Operator::in) continue;
        out.emplace_back();
        for (const std::string& value : requirement.values)
            out.back().push_back(label_hash(requirement.key, value));
    }
    return out;
}

/// A namespace always has a label with its name, also one that the snapshot was not told of.
bool is_like(const Cluster& cluster, std::string_view ns, const LabelSelector& selector) {
    Labels labels;
    const auto& namespaces = cluster.objects().namespaces;
    if (const auto at = namespaces.find(ns); at != namespaces.end()) labels = at->second;
    labels.try_emplace(std::string(name_label), ns);
    return matches(selector, labels);
}

bool selects_pods(const Cluster& cluster, const PodSelector& selector, std::string_view ns,
                  const Labels& labels) {
    if (selector.none || !matches(selector.labels, labels)) return false;
    return std::binary_search(selector.namespaces.begin(), selector.namespaces.end(), ns) ||
           (selector.namespaces_like && is_like(cluster, ns, *selector.namespaces_like));
}

}  // namespace

PodSetId PodSets::add(std::vector<PodSelector> all_of) {
    const auto hash = selectors_hash(all_of);
    const auto same = [&](std::uint32_t id) { return sets_[id] == all_of; };
    if (const auto found = index_.find(hash, same)) return *found;
    const auto id = static_cast<PodSetId>(sets_.size());
    index_.insert(hash, id);

    // Of the labels that would do, those that the fewest other sets are looked for by.
    std::vector<std::uint64_t> best;
    std::size_t best_shared = 0;
    for (const PodSelector& selector : all_of) {
        for (auto& anchors : find_anchors(selector.labels)) {
            std::size_t shared = 0;
            for (const std::uint64_t anchor : anchors) {
                const auto at = by_label_.find(anchor);
                shared += at != by_label_.end() ? at->second.size() : 0;
            }
            if (!best.empty() && shared >= best_shared) continue;
            best = std::move(anchors);
            best_shared = shared;
        }
    }
    for (const std::uint64_t anchor : best) by_label_[anchor].push_back(id);
    if (best.empty()) others_.push_back(id);
    sets_.push_back(std::move(all_of));
    return id;
}

std::vector<PodSetId> PodSets::holding(const Cluster& cluster, ClassId equivalence_group) const {
    const ClassRow& row = cluster.equivalence_group(equivalence_group);
    std::vector<PodSetId> candidates = others_;
    for (const LabelPair& pair : row.labels) {
        const auto at =
            by_label_.find(label_hash(cluster.text(pair.key), cluster.text(pair.value)));
        if (at != by_label_.end())
            candidates.insert(candidates.end(), at->second.begin(), at->second.end());
    }
    if (candidates.empty()) return candidates;
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const Labels labels = to_labels(cluster, row.labels);
    const std::string_view ns = cluster.text(row.ns);
    std::erase_if(candidates, [&](PodSetId id) {
        return !std::all_of(sets_[id].begin(), sets_[id].end(), [&](const PodSelector& selector) {
            return selects_pods(cluster, selector, ns, labels);
        });
    });
    return candidates;
}

std::string PodSets::describe(PodSetId id) const {
    std::string out;
    for (const PodSelector& selector : sets_[id])
        out += (out.empty() ? "" : ", and ") + engine::describe(selector);
    return out;
}

}  // namespace capstan::engine
