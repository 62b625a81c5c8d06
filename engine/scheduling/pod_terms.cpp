#include "engine/scheduling/pod_terms.hpp"

#include <algorithm>

#include <capstan/well_known.hpp>

#include "engine/scheduling/predicates/selector_text.hpp"
#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::scheduling {
namespace {

std::uint64_t label_hash(std::string_view key, std::string_view value) noexcept {
    snapshot::FastHash hash;
    hash.add(key);
    hash.add(value);
    return hash.value();
}

std::uint64_t selectors_hash(const std::vector<PodSelector>& all_of) noexcept {
    snapshot::FastHash hash;
    for (const PodSelector& selector : all_of) {
        for (const std::string& ns : selector.namespaces) hash.add(ns);
        snapshot::add(hash, selector.labels);
    }
    return hash.value();
}

/// The hashes of labels that a pod needs to be selected. There is a list for each requirement, and
/// a selected pod has one label of each list.
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

/// Every namespace has a label with its name, even one that is not in the snapshot.
bool is_like(const snapshot::Cluster& cluster, std::string_view ns, const LabelSelector& selector) {
    Labels labels;
    const auto& namespaces = cluster.objects().namespaces;
    if (const auto at = namespaces.find(ns); at != namespaces.end()) labels = at->second;
    labels.try_emplace(std::string(well_known::namespace_name_label), ns);
    return matches(selector, labels);
}

bool selects_pods(const snapshot::Cluster& cluster, const PodSelector& selector,
                  std::string_view ns, const Labels& labels) {
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

    // Any of the lists would do to find the set; the one that the fewest other sets use is best.
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

std::vector<PodSetId> PodSets::holding(const snapshot::Cluster& cluster,
                                       PodGroupId equivalence_group) const {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    std::vector<PodSetId> candidates = others_;
    for (const snapshot::LabelPair& pair : row.labels) {
        const auto at =
            by_label_.find(label_hash(cluster.text(pair.key), cluster.text(pair.value)));
        if (at != by_label_.end())
            candidates.insert(candidates.end(), at->second.begin(), at->second.end());
    }
    if (candidates.empty()) return candidates;
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const Labels labels = snapshot::to_labels(cluster, row.labels);
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
        out += (out.empty() ? "" : ", and ") + engine::scheduling::describe(selector);
    return out;
}

namespace {

void add_owner_labels(LabelSelector& selector, const snapshot::Cluster& cluster,
                      const snapshot::PodGroupRow& owner, const std::vector<std::string>& keys,
                      Operator op) {
    for (const std::string& key : keys) {
        const auto value = snapshot::find_label(cluster, owner.labels, key);
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

PodSelector make_selector(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& owner,
                          const snapshot::PodTerm& term) {
    if (!term.selector) return {.none = true};
    PodSelector out{.namespaces = sorted(term.namespaces),
                    .namespaces_like = term.namespace_selector,
                    .labels = *term.selector};
    if (term.namespaces.empty() && !term.namespace_selector)
        out.namespaces.emplace_back(cluster.text(owner.ns));
    add_owner_labels(out.labels, cluster, owner, term.match_label_keys, Operator::in);
    add_owner_labels(out.labels, cluster, owner, term.mismatch_label_keys, Operator::not_in);
    return out;
}

PodSelector make_selector(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& owner,
                          const snapshot::SpreadConstraint& constraint) {
    if (!constraint.selector) return {.none = true};
    PodSelector out{.namespaces = {std::string(cluster.text(owner.ns))},
                    .labels = *constraint.selector};
    add_owner_labels(out.labels, cluster, owner, constraint.match_label_keys, Operator::in);
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

namespace {

/// Of bound pods and daemons that are not to be placed, only the anti-affinity matters.
bool has_terms(const snapshot::Cluster& cluster, PodGroupId id, bool is_pod_group) noexcept {
    const snapshot::PodSpec& spec = *cluster.equivalence_group(id).spec;
    return !spec.pod_anti_affinity.empty() ||
           (is_pod_group && (!spec.pod_affinity.empty() || !cluster.spread(id).empty()));
}

void read_key(const std::string& key, NodeReading& reading) {
    if (key == well_known::hostname_label)
        reading.has_hostname = true;
    else
        reading.labels.insert(key);
}

}  // namespace

PodTerms::PodTerms(const snapshot::Cluster& cluster, std::span<const PodGroupId> pod_groups,
                   std::span<const PodGroupId> others)
    : terms_of_(cluster.pod_group_count(), no_terms) {
    const auto read_all = [&](std::span<const PodGroupId> ids, bool is_pod_group) {
        for (const PodGroupId id : ids) {
            if (terms_of_[id] == no_terms && has_terms(cluster, id, is_pod_group))
                of(id) = read(cluster, id, is_pod_group);
        }
    };
    read_all(pod_groups, true);
    read_all(others, false);
    if (sets.empty()) return;

    std::vector<bool> has_pod_group(sets.size());
    for (const PodGroupId pod_group : pod_groups) {
        auto in = sets.holding(cluster, pod_group);
        if (in.empty()) continue;
        for (const PodSetId set : in) has_pod_group[set] = true;
        of(pod_group).in = std::move(in);
    }
    anti_affinity_against.resize(sets.size());
    for (TermId id = 0; id < anti_affinity.size(); ++id) {
        const PodSetId set = anti_affinity[id].set;
        if (has_pod_group[set]) anti_affinity_against[set].push_back(id);
    }
}

PodGroupTerms PodTerms::read(const snapshot::Cluster& cluster, PodGroupId equivalence_group,
                             bool is_pod_group) {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    PodGroupTerms out;
    for (const snapshot::PodTerm& term : row.spec->pod_anti_affinity) {
        const TermId id =
            add({.set = sets.add({make_selector(cluster, row, term)}), .key = term.topology_key});
        if (std::ranges::find(out.anti_affinity, id) == out.anti_affinity.end())
            out.anti_affinity.push_back(id);
    }
    if (!is_pod_group) return out;
    std::vector<PodSelector> affinity;
    for (const snapshot::PodTerm& term : row.spec->pod_affinity)
        affinity.push_back(make_selector(cluster, row, term));
    if (!affinity.empty()) out.affinity = sets.add(std::move(affinity));
    for (const snapshot::SpreadConstraint& constraint : cluster.spread(equivalence_group))
        out.spread.push_back(sets.add({make_selector(cluster, row, constraint)}));
    return out;
}

TermId PodTerms::add(AntiAffinityTerm term) {
    const auto [at, is_new] = index_.try_emplace(term, static_cast<TermId>(anti_affinity.size()));
    if (is_new) anti_affinity.push_back(std::move(term));
    return at->second;
}

PodGroupTerms& PodTerms::of(PodGroupId equivalence_group) {
    std::uint32_t& at = terms_of_[equivalence_group];
    if (at == no_terms) {
        at = static_cast<std::uint32_t>(terms_.size());
        terms_.emplace_back();
    }
    return terms_[at];
}

const PodGroupTerms* PodTerms::find(PodGroupId equivalence_group) const noexcept {
    const std::uint32_t at = terms_of_[equivalence_group];
    return at == no_terms ? nullptr : &terms_[at];
}

void PodTerms::read_by(const snapshot::Cluster& cluster, std::span<const PodGroupId> pod_groups,
                       NodeReading& reading) const {
    for (const PodGroupId pod_group : pod_groups) {
        const snapshot::PodSpec& spec = *cluster.equivalence_group(pod_group).spec;
        for (const snapshot::PodTerm& term : spec.pod_affinity)
            read_key(term.topology_key, reading);
        for (const snapshot::PodTerm& term : spec.pod_anti_affinity)
            read_key(term.topology_key, reading);
        for (const snapshot::SpreadConstraint& constraint : cluster.spread(pod_group))
            read_key(constraint.topology_key, reading);
    }
    for (const auto& terms : anti_affinity_against) {
        for (const TermId term : terms) read_key(anti_affinity[term].key, reading);
    }
}

}  // namespace capstan::engine::scheduling
