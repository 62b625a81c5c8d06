#include "engine/scheduling/inter_pod_index.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/scheduling/predicates/node_ports.hpp"
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

/// What pods take of a node or of the cluster besides resources: host ports, ReadWriteOncePod
/// claims, volumes to attach. Adds those that pod groups want to an InterPodIndex, and finds out
/// which bound pods take them. Borrows both arguments.
class ExclusiveResources {
public:
    /// Adds everything that any pod group wants.
    ExclusiveResources(InterPodIndex& inter_pod, const InterPodIndexSources& from)
        : inter_pod_(inter_pod), from_(from) {
        for (const auto& [pod_group, needs] : from.volumes) {
            for (const std::string& claim : needs.exclusive) {
                const auto number = static_cast<std::uint32_t>(inter_pod_.claims.size());
                if (claims_.try_emplace(claim, number).second) inter_pod_.claims.push_back(claim);
            }
            for (const VolumesByDriver* volumes : {&needs.attached, &needs.in_tree})
                for (const auto& [name, handles] : *volumes) driver(name);
            enter(needs);
        }
        for (const PodGroupId pod_group : from.pod_groups) {
            for (const snapshot::HostPort& port :
                 from.cluster.equivalence_group(pod_group).spec->ports) {
                auto& same_number = ports_by_number_[port.port];
                if (std::any_of(same_number.begin(), same_number.end(),
                                [&](std::uint32_t i) { return inter_pod_.ports[i] == port; }))
                    continue;
                same_number.push_back(static_cast<std::uint32_t>(inter_pod_.ports.size()));
                inter_pod_.ports.push_back(port);
            }
        }
        if (claims_.empty() && drivers_.empty()) return;
        for (const PodGroupId id : from.others) {
            if (from.volumes.contains(id) || !has_volumes(from.cluster.equivalence_group(id)))
                continue;
            const auto at = others_needs_.emplace(id, find_volume_needs(from.cluster, id)).first;
            enter(at->second);
        }
    }

    /// Adds the rules for ports, claims and attached volumes of a pod group to `out`.
    void compile(PodGroupId pod_group, PodRules& out) {
        const snapshot::PodSpec& spec = *from_.cluster.equivalence_group(pod_group).spec;
        const auto forbid = [&](Counted what, std::uint32_t which, TopologyId topology) {
            const CounterId id =
                inter_pod_.counters.add(what, which, topology, inter_pod_.topologies[topology]);
            return ForbiddenRule{.counter = id, .counts_itself = true};
        };
        for (const snapshot::HostPort& port : spec.ports) {
            if (port.port <= 0) continue;
            const auto at = std::find(inter_pod_.ports.begin(), inter_pod_.ports.end(), port);
            out.ports.push_back(forbid(Counted::with_port,
                                       static_cast<std::uint32_t>(at - inter_pod_.ports.begin()),
                                       inter_pod_.topologies.each_node()));
        }
        const auto needs = from_.volumes.find(pod_group);
        if (needs == from_.volumes.end()) return;
        for (const std::string& claim : needs->second.exclusive) {
            out.claims.push_back(forbid(Counted::with_claim, claims_.at(claim),
                                        inter_pod_.topologies.whole_cluster()));
        }
        std::map<std::uint32_t, std::set<std::uint32_t>> wanted;
        for (const auto& [what, number] : volumes_of(needs->second))
            if (what == Counted::with_volume)
                wanted[inter_pod_.volumes[number].driver].insert(number);
        for (const auto& [driver, numbers] : wanted) {
            AttachRule rule{.driver = driver};
            for (const std::uint32_t number : numbers)
                rule.volumes.push_back(
                    inter_pod_.counters.counting(Counted::with_volume, number).front());
            out.attach.push_back(std::move(rule));
        }
    }

    using CounterSources = std::vector<std::pair<Counted, std::uint32_t>>;
    /// Everything that a pod of the equivalence group takes and some pod group wants.
    CounterSources taken_by(PodGroupId equivalence_group) const {
        CounterSources out = ports_of(*from_.cluster.equivalence_group(equivalence_group).spec);
        const auto pod_group = from_.volumes.find(equivalence_group);
        const auto other = others_needs_.find(equivalence_group);
        if (pod_group == from_.volumes.end() && other == others_needs_.end()) return out;
        const CounterSources volumes =
            volumes_of(pod_group != from_.volumes.end() ? pod_group->second : other->second);
        out.insert(out.end(), volumes.begin(), volumes.end());
        return out;
    }

    /// Reads the attach limits of all nodes and template nodes, for the drivers that were added.
    void read_limits() {
        if (inter_pod_.drivers.empty()) return;
        const auto read = [&](const std::map<std::string, std::optional<int>>& limits,
                              const std::set<std::string>& migrated, auto& out) {
            for (const std::string& name : inter_pod_.drivers) {
                const auto at = limits.find(name);
                out.push_back({.volumes = at == limits.end() ? std::nullopt : at->second,
                               .has_in_tree = migrated.contains(name)});
            }
        };
        const snapshot::CsiNodeObject none;
        for (NodeIndex node = 0; node < from_.cluster.node_count(); ++node) {
            const snapshot::CsiNodeObject* own = find_csi_node(from_.cluster, node);
            const snapshot::CsiNodeObject& csi = own != nullptr ? *own : none;
            read(csi.limits, csi.migrated, inter_pod_.node_limits);
        }
        for (const TemplateNode& node : from_.template_nodes)
            read(node.csi_limits, node.csi_migrated, inter_pod_.template_node_limits);
    }

private:
    CounterSources ports_of(const snapshot::PodSpec& spec) const {
        CounterSources out;
        for (const snapshot::HostPort& port : spec.ports) {
            const auto at = ports_by_number_.find(port.port);
            if (at == ports_by_number_.end()) continue;
            for (const std::uint32_t wanted : at->second) {
                if (in_conflict(inter_pod_.ports[wanted], port))
                    out.emplace_back(Counted::with_port, wanted);
            }
        }
        return out;
    }

    CounterSources volumes_of(const VolumeNeeds& needs) const {
        CounterSources out;
        for (const std::string& claim : needs.claims) {
            if (const auto at = claims_.find(claim); at != claims_.end())
                out.emplace_back(Counted::with_claim, at->second);
        }
        for (const VolumesByDriver* volumes : {&needs.attached, &needs.in_tree}) {
            for (const auto& [name, handles] : *volumes) {
                const auto driver = drivers_.find(name);
                if (driver == drivers_.end()) continue;
                for (const std::string& handle : handles)
                    out.emplace_back(Counted::with_volume, volumes_.at({driver->second, handle}));
            }
        }
        return out;
    }

    std::uint32_t driver(const std::string& name) {
        const auto number = static_cast<std::uint32_t>(inter_pod_.drivers.size());
        const auto [at, is_new] = drivers_.try_emplace(name, number);
        if (is_new) inter_pod_.drivers.push_back(name);
        return at->second;
    }

    /// A volume that one pod names by its driver and another one by its in-tree plugin is the
    /// driver's.
    std::uint32_t volume(std::uint32_t driver, const std::string& handle, bool in_tree) {
        const auto number = static_cast<std::uint32_t>(inter_pod_.volumes.size());
        const auto [at, is_new] = volumes_.try_emplace({driver, handle}, number);
        if (is_new)
            inter_pod_.volumes.push_back({.driver = driver, .handle = handle, .in_tree = in_tree});
        inter_pod_.volumes[at->second].in_tree &= in_tree;
        return at->second;
    }

    void enter(const VolumeNeeds& needs) {
        enter(needs.attached, false);
        enter(needs.in_tree, true);
    }

    /// Adds a counter for each volume. Drivers of which no pod group attaches a volume are left
    /// out.
    void enter(const VolumesByDriver& volumes, bool in_tree) {
        const TopologyId topology = inter_pod_.topologies.each_node();
        for (const auto& [name, handles] : volumes) {
            const auto at = drivers_.find(name);
            if (at == drivers_.end()) continue;
            for (const std::string& handle : handles) {
                inter_pod_.counters.add(Counted::with_volume, volume(at->second, handle, in_tree),
                                        topology, inter_pod_.topologies[topology]);
            }
        }
    }

    InterPodIndex& inter_pod_;
    const InterPodIndexSources& from_;
    std::unordered_map<int, std::vector<std::uint32_t>> ports_by_number_;
    std::map<std::string, std::uint32_t> claims_;
    std::map<std::string, std::uint32_t, std::less<>> drivers_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> volumes_;
    // Of bound pods and daemons that are not among the pod groups and have volumes.
    std::map<PodGroupId, VolumeNeeds> others_needs_;
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
    for (const auto& [what, which] : exclusive.taken_by(equivalence_group)) add(what, which);
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
