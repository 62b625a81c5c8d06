/// The predicates of one node alone, evaluated once for each distinct demand and node profile.
///
/// Pods read few labels of a node. Nodes that are equal in what pods read are one profile: 500 node
/// groups that differ only in labels that no pod reads are a handful of profiles. Likewise, pods
/// that ask the same of a node are one demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/scheduling/predicates/node_facts.hpp"
#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/scheduling/predicates/volume_needs.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::scheduling {

/// The properties of a node that some pod reads. Taints and `unschedulable` are always read.
struct NodeReading {
    std::set<std::string, std::less<>> labels{};  ///< keys of labels; their values are read
    bool has_hostname = false;  ///< whether the node has a hostname label; its value is not read
    bool name = false;          ///< metadata.name
    std::set<TemplateNodeId>
        template_nodes{};  ///< the template nodes that are told from all others
};

using ProfileId = std::uint32_t;

/// Nodes and template nodes with equal profiles get equal verdicts from every predicate of a node
/// alone.
struct NodeProfile {
    std::string name{};           ///< empty: not read, or a node that does not exist yet
    Labels labels{};              ///< only labels that are read
    std::vector<Taint> taints{};  ///< with the effects NoSchedule and NoExecute
    bool unschedulable = false;
    std::optional<TemplateNodeId> template_node{};  ///< only if it is read
    bool operator==(const NodeProfile&) const = default;

    NodeFacts facts() const noexcept {
        return {.name = name,
                .labels = labels,
                .taints = taints,
                .unschedulable = unschedulable,
                .template_node = template_node};
    }
};

/// The profiles of all nodes of a cluster and of all template nodes. [any thread]
class NodeProfiles {
public:
    NodeProfiles() = default;
    /// `promises` ascend by node.
    NodeProfiles(const snapshot::Cluster& cluster, std::span<const TemplateNode> template_nodes,
                 const NodeReading& reading, std::span<const NodePromise> promises = {});

    std::size_t size() const noexcept { return profiles_.size(); }
    const NodeProfile& operator[](ProfileId id) const noexcept { return profiles_[id]; }
    ProfileId of_node(NodeIndex node) const noexcept { return of_node_[node]; }
    ProfileId of_template_node(std::size_t template_node) const noexcept {
        return of_template_node_[template_node];
    }

private:
    std::vector<NodeProfile> profiles_;
    std::vector<ProfileId> of_node_, of_template_node_;
};

using DemandId = std::uint32_t;

/// What a pod asks of one node alone: tolerations, node selector and affinity, volumes. Borrows the
/// spec.
struct NodeDemand {
    const snapshot::PodSpec* spec = nullptr;
    VolumeNeeds volumes{};                        ///< only `refusal` and `conditions` are read
    std::map<TemplateNodeId, Refusal> refused{};  ///< see RefusedShape (compiled_predicates.hpp)
};

/// The refusal of the first predicate of one node alone that fails. [any thread]
Refusal ask(const NodeDemand& demand, const NodeFacts& node);
/// How many of these predicates fail. [any thread]
int count_failing(const NodeDemand& demand, const NodeFacts& node);

/// All distinct demands, and their verdicts by profile. Verdicts are cached. [one thread]
class NodeDemands {
public:
    /// Equal demands get equal ids.
    DemandId add(NodeDemand demand);
    /// Adds to `reading` what the demands read of nodes.
    void read_by(NodeReading& reading) const;
    /// Sets the profiles that `verdict` is about. Comes before `verdict`. Borrows the profiles.
    void set_profiles(const NodeProfiles& profiles);

    const NodeDemand& operator[](DemandId id) const noexcept { return demands_[id]; }
    /// The first predicate that fails; none: all pass.
    Predicate verdict(DemandId id, ProfileId profile) const {
        const std::vector<Predicate>& row = verdicts_[id];
        if (profile < row.size() && row[profile] != unknown) return row[profile];
        return find_verdict(id, profile);
    }

private:
    static constexpr auto unknown = static_cast<Predicate>(255);
    Predicate find_verdict(DemandId id, ProfileId profile) const;

    const NodeProfiles* profiles_ = nullptr;
    std::vector<NodeDemand> demands_;
    snapshot::HashIndex index_;
    mutable std::vector<std::vector<Predicate>> verdicts_;
};

}  // namespace capstan::engine::scheduling
