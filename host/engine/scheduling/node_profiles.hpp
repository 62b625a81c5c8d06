/// Nodes by what the subjects' predicates can see of them: 500 groups that differ only in what no
/// pod asks about are a handful of profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/scheduling/node_facts.hpp"
#include "engine/scheduling/node_shape.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

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
    NodeProfiles(const Cluster& cluster, std::span<const NodeShape> shapes,
                 const NodeReading& reading);

    std::size_t size() const noexcept { return profiles_.size(); }
    const NodeProfile& operator[](ProfileId id) const noexcept { return profiles_[id]; }
    ProfileId of_node(NodeIndex node) const noexcept { return of_node_[node]; }
    ProfileId of_shape(std::size_t shape) const noexcept { return of_shape_[shape]; }

private:
    std::vector<NodeProfile> profiles_;
    std::vector<ProfileId> of_node_, of_shape_;
};

}  // namespace capstan::engine
