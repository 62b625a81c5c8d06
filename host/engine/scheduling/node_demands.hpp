/// What classes ask of a node on its own: taints, labels, volumes. Verdicts are found once per
/// distinct demand and node profile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/scheduling/node_profiles.hpp"
#include "engine/scheduling/predicates/volume_needs.hpp"
#include "engine/scheduling/refusal.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine {

using DemandId = std::uint32_t;

/// Borrows the spec.
struct NodeDemand {
    const PodSpec* spec = nullptr;
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
    HashIndex index_;
    mutable std::vector<std::vector<Predicate>> verdicts_;
};

}  // namespace capstan::engine
