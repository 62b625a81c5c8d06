/// Inter-pod constraints as data: which counters there are, which pod groups read them and which
/// add to them.
///
/// Terms of different pods that count the same pods by the same topology share one counter. All
/// pods of an equivalence group add to the same counters, so the counters are found once for each
/// equivalence group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/scheduling/node_demands.hpp"
#include "engine/scheduling/pod_terms.hpp"
#include "engine/scheduling/predicates/volume_needs.hpp"
#include "engine/scheduling/topology_counts.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::scheduling {

/// A CSI volume as a node attaches it.
struct AttachedVolume {
    std::uint32_t driver = 0;  ///< index into InterPodIndex::drivers
    std::string handle{};
    bool in_tree = false;  ///< counts only on nodes with AttachLimit::has_in_tree
};

/// How many volumes of a CSI driver can be attached to a node.
struct AttachLimit {
    std::optional<int> volumes{};  ///< absent: there is no limit
    bool has_in_tree = false;      ///< volumes of the in-tree plugin that it replaces count, too
    bool counts(const AttachedVolume& volume) const noexcept {
        return !volume.in_tree || has_in_tree;
    }
};

/// What an InterPodIndex is made of. Borrows all of it.
struct InterPodIndexSources {
    const snapshot::Cluster& cluster;
    std::span<const PodGroupId> pod_groups;
    std::span<const PodGroupId> others;  ///< see find_others (placement_state.hpp)
    std::span<const TemplateNode> template_nodes;
    const NodeProfiles& profiles;
    const std::map<PodGroupId, VolumeNeeds>& volumes;  ///< of pod groups that have volumes
};

/// [engine thread]
struct InterPodIndex {
    InterPodIndex() = default;
    InterPodIndex(PodTerms the_terms, const InterPodIndexSources& from);

    /// The rules of a pod group; NULL: it has no inter-pod constraints.
    const PodRules* find(std::uint32_t pod_group) const noexcept {
        const std::uint32_t at = rules_of[pod_group];
        return at == no_rules ? nullptr : &rules[at];
    }
    /// The counters that a pod of the equivalence group adds to, ascending.
    std::span<const CounterId> added_by(PodGroupId equivalence_group) const noexcept {
        return equivalence_group < added_counters.size()
                   ? std::span<const CounterId>(added_counters[equivalence_group])
                   : std::span<const CounterId>();
    }
    bool is_absent(PodGroupId equivalence_group) const noexcept {
        return equivalence_group < absent.size() && absent[equivalence_group];
    }
    /// How many volumes of a driver can be attached to a node, or to a new node of a template.
    const AttachLimit& node_limit(NodeIndex node, std::uint32_t driver) const noexcept {
        return node_limits[node * drivers.size() + driver];
    }
    const AttachLimit& template_node_limit(std::size_t template_node,
                                           std::uint32_t driver) const noexcept {
        return template_node_limits[template_node * drivers.size() + driver];
    }

    PodTerms terms;
    Topologies topologies;
    CounterTable counters;
    // By Counter::which, see Counted.
    std::vector<snapshot::HostPort> ports;
    std::vector<std::string> claims;
    std::vector<AttachedVolume> volumes;
    std::vector<std::string> drivers;  // CSI drivers by name

    static constexpr std::uint32_t no_rules = ~std::uint32_t{0};
    std::vector<PodRules> rules;
    std::vector<std::uint32_t> rules_of;                 // by pod group: index into `rules`
    std::vector<std::vector<CounterId>> added_counters;  // by PodGroupId
    std::vector<std::uint32_t> contributing_pod_groups;  // by counter: number that add to it
    std::vector<AttachLimit> node_limits, template_node_limits;  // see node_limit
    std::vector<bool> absent;  // by PodGroupId: its bound pods do not count; empty: all count
};

}  // namespace capstan::engine::scheduling
