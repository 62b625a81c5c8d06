/// Nodes by what the pod groups' predicates can see of them: 500 groups that differ only in what no
/// pod asks about are a handful of profiles.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// What is read of nodes.
struct NodeReading {
    std::set<std::string, std::less<>> labels{};  ///< by key, their values
    bool has_hostname = false;                    ///< whether there is a hostname, though not which
    bool name = false;                            ///< metadata.name
};

using ProfileId = std::uint32_t;

/// Nodes and shapes with equal profiles get equal verdicts from every predicate of a node alone.
struct NodeProfile {
    std::string name{};           ///< empty: not read, or that of a node to come
    Labels labels{};              ///< those that are read
    std::vector<Taint> taints{};  ///< those that keep pods off
    bool unschedulable = false;
    bool operator==(const NodeProfile&) const = default;

    NodeFacts facts() const noexcept {
        return {.name = name, .labels = labels, .taints = taints, .unschedulable = unschedulable};
    }
};

/// [any thread]
class NodeProfiles {
public:
    NodeProfiles() = default;
    NodeProfiles(const snapshot::Cluster& cluster, std::span<const TemplateNode> shapes,
                 const NodeReading& reading);

    std::size_t size() const noexcept { return profiles_.size(); }
    const NodeProfile& operator[](ProfileId id) const noexcept { return profiles_[id]; }
    ProfileId of_node(snapshot::NodeIndex node) const noexcept { return of_node_[node]; }
    ProfileId of_shape(std::size_t shape) const noexcept { return of_shape_[shape]; }

private:
    std::vector<NodeProfile> profiles_;
    std::vector<ProfileId> of_node_, of_shape_;
};

// What classes ask of a node on its own: taints, labels, volumes. Verdicts are found once per
// distinct demand and node profile.

using DemandId = std::uint32_t;

/// Borrows the spec.
struct NodeDemand {
    const snapshot::PodSpec* spec = nullptr;
    VolumeNeeds volumes{};  ///< refusal and conditions alone count
};

/// Asks every predicate of a node alone, in their order. [any thread]
Refusal ask(const NodeDemand& demand, const NodeFacts& node);

/// [one thread]
class NodeDemands {
public:
    /// Equal demands get equal numbers.
    DemandId add(NodeDemand demand);
    /// Adds what all demands read.
    void read_by(NodeReading& reading) const;
    /// From now on verdicts are about these; they outlive this.
    void set_profiles(const NodeProfiles& profiles);

    const NodeDemand& operator[](DemandId id) const noexcept { return demands_[id]; }
    /// The first predicate that fails.
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
