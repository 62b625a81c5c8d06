/// What a Cluster holds: parts that it shares with the clusters before and after it as far as
/// nothing changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/pools.hpp"

namespace capstan::engine::snapshot {

/// A place for a node under its name; there is one for every node and for every node that a pod
/// says it is bound to. Taken up again under another name when neither is left.
using NodeSlot = std::uint32_t;
inline constexpr NodeSlot no_slot = ~NodeSlot{0};

/// Nodes by NodeIndex, and what slots have become of.
struct NodeTable {
    std::vector<NodeRow> rows;
    std::vector<NodeSlot> slots;            ///< by NodeIndex
    std::vector<NodeIndex> index_of;        ///< by NodeSlot; no_node: such a node is not there
    std::vector<Symbol> name_of;            ///< by NodeSlot
    std::vector<std::int64_t> allocatable;  ///< `resource_count` for each node
    std::size_t resource_count = 0;

    std::size_t bytes() const noexcept;
};

/// Some pods, as columns.
struct PodBlock {
    static constexpr std::size_t size = 256;
    template <class T>
    using Column = std::array<T, size>;

    Column<Symbol> name, uid, nominated_node, unscheduled_reason;
    Column<PodGroupId> equivalence_group;
    Column<NodeSlot> node;
    Column<PodPhase> phase;
    Column<bool> gated, deleted;
    Column<Time> deleted_at, created;
};

/// Pods that have not ended, and where they are.
struct PodTable {
    std::vector<std::shared_ptr<const PodBlock>> blocks;  ///< all but the last one full
    std::size_t count = 0;
    std::vector<PodIndex> bound;      ///< by node
    std::vector<std::size_t> bounds;  ///< of node i's in `bound`: from [i] to [i + 1]
    std::vector<PodIndex> unbound;
    std::vector<std::int64_t> requested;  ///< like NodeTable::allocatable

    const PodBlock& block(PodIndex pod) const noexcept { return *blocks[pod / PodBlock::size]; }
    std::size_t bytes() const noexcept;
};

struct DaemonSets {
    std::vector<std::shared_ptr<const DaemonSetObject>> objects;
    std::vector<DaemonSetRow> rows;  ///< the same order
    std::size_t bytes = 0;
};

/// The scheduler's own constraints.
struct DefaultSpreads {
    std::vector<std::uint32_t> of_class;               ///< by PodGroupId; 0: it has none
    std::vector<std::vector<SpreadConstraint>> lists;  ///< the first one is empty

    std::size_t bytes() const noexcept;
};

struct Cluster::State {
    std::shared_ptr<const Pools> pools;
    std::shared_ptr<const NodeTable> nodes;
    std::shared_ptr<const PodTable> pods;
    std::shared_ptr<const DaemonSets> daemon_sets;
    std::shared_ptr<const ClusterObjects> objects;
    std::size_t pod_group_count = 0;
    std::size_t bytes = 0;
    std::shared_ptr<const DefaultSpreads> default_spreads{};  ///< NULL: no pod has any
};

}  // namespace capstan::engine::snapshot
