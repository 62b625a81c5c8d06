#include "engine/scheduling/inter_pod_index.hpp"

#include <algorithm>
#include <utility>

#include "engine/scheduling/exclusive_resources.hpp"
#include "engine/scheduling/topology_counts.hpp"

namespace capstan::engine::scheduling {
namespace {

bool has(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Compiles the terms of one pod group after the other.
class TermCompiler {
public:
    TermCompiler(InterPodIndex& inter_pod, const NodeProfiles& profiles)
        : inter_pod_(inter_pod), spread_topologies_(profiles, inter_pod.topologies) {}

    void compile(const snapshot::Cluster& cluster, PodGroupId pod_group, const PodGroupTerms& terms,
                 PodRules& out) {
        const snapshot::PodSpec& spec = *cluster.equivalence_group(pod_group).spec;
        if (!spec.pod_affinity.empty()) add_affinity(spec, terms, out.affinity);
        add_anti_affinity(terms, out.anti_affinity);
        const SpreadTopologies::Constraints spread = cluster.spread(pod_group);
        for (std::size_t i = 0; i < terms.spread.size(); ++i) {
            const TopologyId topology = spread_topologies_.find(spec, spread, spread[i]);
            out.spread.push_back(make_spread(spread[i], topology, terms.spread[i], terms));
            out.spread.back().is_default = spec.spread.empty();
        }
        find_wide(out);
    }

private:
    CounterId counter(Counted what, std::uint32_t which, std::string_view key) {
        const TopologyId topology = inter_pod_.topologies.labelled(key);
        return inter_pod_.counters.add(what, which, topology, inter_pod_.topologies[topology]);
    }
    void add_affinity(const snapshot::PodSpec& spec, const PodGroupTerms& terms,
                      AffinityRule& out) {
        out.counts_itself = has(terms.in, terms.affinity);
        for (const snapshot::PodTerm& term : spec.pod_affinity) {
            const CounterId id = counter(Counted::in_set, terms.affinity, term.topology_key);
            if (!has(out.counters, id)) out.counters.push_back(id);
        }
    }
    void add_anti_affinity(const PodGroupTerms& terms, std::vector<ForbiddenRule>& out) {
        for (const TermId id : terms.anti_affinity) {
            const AntiAffinityTerm& term = inter_pod_.terms.anti_affinity[id];
            out.push_back({.counter = counter(Counted::in_set, term.set, term.key),
                           .counts_itself = has(terms.in, term.set)});
        }
        for (const PodSetId set : terms.in) {
            for (const TermId id : inter_pod_.terms.anti_affinity_against[set]) {
                out.push_back({.counter = counter(Counted::with_term, id,
                                                  inter_pod_.terms.anti_affinity[id].key),
                               .counts_itself = has(terms.anti_affinity, id),
                               .others_term = true});
            }
        }
    }
    SpreadRule make_spread(const snapshot::SpreadConstraint& constraint, TopologyId topology,
                           PodSetId set, const PodGroupTerms& terms) {
        return {.counter = inter_pod_.counters.add(Counted::in_set, set, topology,
                                                   inter_pod_.topologies[topology], true),
                .max_skew = constraint.max_skew,
                .min_domains = constraint.min_domains.value_or(1),
                .counts_itself = has(terms.in, set)};
    }
    void find_wide(PodRules& rules) const {
        for (std::uint32_t i = 0; i < rules.spread.size(); ++i) {
            if (inter_pod_.counters[rules.spread[i].counter].per_node) continue;
            if (rules.wide) {
                rules.wide.reset();
                return;
            }
            rules.wide = i;
        }
        if (!rules.wide) return;
        const TopologyId topology = inter_pod_.counters[rules.spread[*rules.wide].counter].topology;
        rules.wide_domains = inter_pod_.topologies[topology].domain_of;
        std::sort(rules.wide_domains.begin(), rules.wide_domains.end());
        auto& domains = rules.wide_domains;
        domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
        std::erase(domains, no_domain);
    }

    InterPodIndex& inter_pod_;
    SpreadTopologies spread_topologies_;
};

std::vector<CounterId> find_added_counters(const InterPodIndex& inter_pod,
                                           const ExclusiveResources& exclusive,
                                           const snapshot::Cluster& cluster,
                                           PodGroupId equivalence_group) {
    std::vector<CounterId> out;
    const auto add = [&](Counted what, std::uint32_t which) {
        const auto counters = inter_pod.counters.counting(what, which);
        out.insert(out.end(), counters.begin(), counters.end());
    };
    const PodGroupTerms* terms = inter_pod.terms.find(equivalence_group);
    // PodTerms has the sets of pod groups already.
    const bool has_sets = terms != nullptr && !terms->in.empty();
    const auto in = has_sets || inter_pod.terms.sets.empty()
                        ? std::vector<PodSetId>()
                        : inter_pod.terms.sets.holding(cluster, equivalence_group);
    for (const PodSetId set : has_sets ? terms->in : in) add(Counted::in_set, set);
    if (terms != nullptr) {
        for (const TermId term : terms->anti_affinity) add(Counted::with_term, term);
    }
    exclusive.visit(equivalence_group, add);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

InterPodIndex::InterPodIndex(PodTerms the_terms, const InterPodIndexSources& from)
    : terms(std::move(the_terms)),
      topologies(from.profiles),
      rules_of(from.pod_groups.size(), no_rules) {
    TermCompiler compiler(*this, from.profiles);
    ExclusiveResources exclusive(*this, from);
    for (std::uint32_t pod_group = 0; pod_group < from.pod_groups.size(); ++pod_group) {
        const PodGroupId id = from.pod_groups[pod_group];
        PodRules found;
        if (const PodGroupTerms* own = terms.find(id))
            compiler.compile(from.cluster, id, *own, found);
        exclusive.compile(id, found);
        if (found.empty()) continue;
        rules_of[pod_group] = static_cast<std::uint32_t>(rules.size());
        rules.push_back(std::move(found));
    }
    if (counters.size() == 0) return;
    added_counters.resize(from.cluster.pod_group_count());
    for (const auto equivalence_groups : {from.pod_groups, from.others}) {
        for (const PodGroupId id : equivalence_groups) {
            if (added_counters[id].empty())
                added_counters[id] = find_added_counters(*this, exclusive, from.cluster, id);
        }
    }
    exclusive.read_limits();
    contributing_pod_groups.resize(counters.size(), 0);
    for (const PodGroupId id : from.pod_groups) {
        for (const CounterId counter : added_counters[id]) ++contributing_pod_groups[counter];
    }
}

}  // namespace capstan::engine::scheduling
