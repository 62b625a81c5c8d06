/// Inter-pod constraints as data: which counters there are, which pod groups read them and which
/// add to them.
///
/// Terms of different pods that ask the same question share one counter. Whether a pod of a group
/// answers it depends on labels alone, so that is found out once for each group and counter.
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

/// A volume as a node attaches it.
struct AttachedVolume {
    std::uint32_t driver = 0;
    std::string handle{};
};

/// What an InterPodIndex is made of. Borrows all of it.
struct InterPodIndexSources {
    const snapshot::Cluster& cluster;
    std::span<const snapshot::PodGroupId> pod_groups;
    std::span<const snapshot::PodGroupId> others;  ///< on nodes, or daemons of shapes
    std::span<const TemplateNode> shapes;
    const NodeProfiles& profiles;
    const std::map<snapshot::PodGroupId, VolumeNeeds>& volumes;  ///< of pod groups that have claims
};

/// [engine thread]
struct InterPodIndex {
    InterPodIndex() = default;
    InterPodIndex(PodTerms the_terms, const InterPodIndexSources& from);

    /// NULL: the pod group looks at no pod.
    const PodRules* find(std::uint32_t pod_group) const noexcept {
        const std::uint32_t at = rules_of[pod_group];
        return at == no_rules ? nullptr : &rules[at];
    }
    /// The counters that a pod of the class adds to, ascending.
    std::span<const CounterId> added_by(snapshot::PodGroupId equivalence_group) const noexcept {
        return equivalence_group < adds.size() ? std::span<const CounterId>(adds[equivalence_group])
                                               : std::span<const CounterId>();
    }
    bool is_absent(snapshot::PodGroupId equivalence_group) const noexcept {
        return equivalence_group < absent.size() && absent[equivalence_group];
    }
    /// How many volumes of a driver a node, or a new node of a shape, takes.
    std::optional<int> node_limit(snapshot::NodeIndex node, std::uint32_t driver) const noexcept {
        return node_limits[node * drivers.size() + driver];
    }
    std::optional<int> shape_limit(std::size_t shape, std::uint32_t driver) const noexcept {
        return shape_limits[shape * drivers.size() + driver];
    }

    PodTerms terms;
    Topologies topologies;
    CounterTable counters;
    // By the numbers that counters use.
    std::vector<snapshot::HostPort> ports;
    std::vector<std::string> claims;
    std::vector<AttachedVolume> volumes;
    std::vector<std::string> drivers;

    static constexpr std::uint32_t no_rules = ~std::uint32_t{0};
    std::vector<PodRules> rules;
    std::vector<std::uint32_t> rules_of;       // by pod group
    std::vector<std::vector<CounterId>> adds;  // by class
    std::vector<std::uint32_t> adders;         // by counter: pod groups that add to it
    std::vector<std::optional<int>> node_limits, shape_limits;
    std::vector<bool> absent;  // by class: its pods on nodes do not count; empty: all do
};

}  // namespace capstan::engine::scheduling
