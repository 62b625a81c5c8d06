/// The parts that a Cluster is made of. A part in which nothing changed is shared with the clusters
/// that were built before and after.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/snapshot/arena.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/symbols.hpp"

namespace capstan::engine::snapshot {

// Values that many pods and nodes have in common, stored once. A builder shares them with all its
// clusters.

/// Distinct values, found by hash. A value stays as long as the pool.
template <class T>
class Pool {
public:
    /// The value with this hash for which `matches(value)` holds. If there is none, the result of
    /// `make()` is added.
    template <class Matches, class Make>
    const T& add(std::uint64_t hash, Matches matches, Make make) {
        return values_[add_id(hash, matches, make)];
    }
    /// The number of that value.
    template <class Matches, class Make>
    std::uint32_t add_id(std::uint64_t hash, Matches matches, Make make) {
        const auto found =
            index_.find(hash, [&](std::uint32_t id) { return matches(values_[id]); });
        if (found) return *found;
        const auto id = static_cast<std::uint32_t>(values_.size());
        values_.push_back(make());
        index_.insert(hash, id);
        return id;
    }
    const T& operator[](std::uint32_t id) const noexcept { return values_[id]; }
    std::size_t size() const noexcept { return values_.size(); }
    std::size_t bytes() const noexcept { return values_.bytes() + index_.bytes(); }

private:
    StableVector<T> values_;
    HashIndex index_;
};

/// The pools of a builder. What they return lives as long as the pools and may be read on any
/// thread. Adding, and all else that is not const, is for one thread.
class Pools {
public:
    struct Amounts {
        Resources resources;
        std::vector<Request> by_index;  ///< those above zero, ascending
    };
    struct Spec {
        PodSpec spec;
        std::vector<Request> requests;  ///< without `pods`
    };

    /// `spread_timeout_annotation`: see spread_timeout.hpp; empty: there is none.
    explicit Pools(std::string spread_timeout_annotation);

    Symbols symbols{};

    PodGroupId add_equivalence_group(const PodObject& pod);
    const PodGroupRow& equivalence_group(PodGroupId id) const noexcept {
        return equivalence_groups_[id];
    }
    std::size_t pod_group_count() const noexcept { return equivalence_groups_.size(); }

    std::span<const LabelPair> add_labels(const Labels& labels);
    std::span<const LabelPair> add_annotations(const Labels& annotations);
    std::span<const Taint> add_taints(const std::vector<Taint>& taints);
    const Amounts& add_amounts(const Resources& resources);

    Symbol resource(ResourceIndex index) const noexcept { return resources_[index]; }
    std::size_t resource_count() const noexcept { return resources_.size(); }

    std::size_t bytes() const noexcept;

private:
    bool keeps_annotation(std::string_view key) const noexcept;
    /// The equivalence group of such pods once their spread has timed out; absent: it never does.
    std::optional<PodGroupId> add_lapsed(const PodObject& pod, std::optional<Duration> timeout);
    /// Whether the pod is in this equivalence group.
    bool is_of(const PodGroupRow& row, const PodObject& pod) const noexcept;
    const Spec& add_spec(const PodSpec& spec);
    const PodOwner& add_owner(const PodOwner& owner);
    std::span<const Symbol> add_claims(const std::vector<std::string>& claims);
    ResourceIndex add_resource(std::string_view name);
    std::vector<Request> by_index(const Resources& resources);
    template <class Selection>
    std::span<const LabelPair> add_pairs(const Labels& labels, Selection keep);
    template <class Selection>
    bool are_pairs(std::span<const LabelPair> pairs, const Labels& labels,
                   Selection keep) const noexcept;
    bool are_claims(std::span<const Symbol> interned,
                    const std::vector<std::string>& claims) const noexcept;

    std::string spread_timeout_annotation_;
    Pool<PodGroupRow> equivalence_groups_;
    // A cache of the last equivalence group, by hash of the owner's uid: most pods are equal to
    // another pod of their owner that came shortly before.
    std::vector<PodGroupId> recent_ = std::vector<PodGroupId>(64);
    Pool<Spec> specs_;
    Pool<PodOwner> owners_;
    Pool<Amounts> amounts_;
    Pool<std::vector<Taint>> taints_;
    Pool<std::span<const LabelPair>> pair_lists_;
    Pool<std::span<const Symbol>> claim_lists_;
    Arena<LabelPair> pairs_;
    Arena<Symbol> claims_;
    StableVector<Symbol> resources_;
    std::size_t heap_bytes_ = 0;  // of the values in the pools
};

/// A number for a node name. Every node has one, and so has every name that is some pod's
/// spec.nodeName. When neither is left, the number is used again for another name.
using NodeSlot = std::uint32_t;
inline constexpr NodeSlot no_slot = ~NodeSlot{0};

/// Nodes by NodeIndex, and the NodeIndex of each slot.
struct NodeTable {
    std::vector<NodeRow> rows;
    std::vector<NodeSlot> slots;            ///< by NodeIndex
    std::vector<NodeIndex> index_of;        ///< by NodeSlot; no_node: there is no such node
    std::vector<Symbol> name_of;            ///< by NodeSlot
    std::vector<std::int64_t> allocatable;  ///< by NodeIndex, `resource_count` numbers each
    std::size_t resource_count = 0;

    std::size_t bytes() const noexcept;
};

/// Up to 256 pods, as columns.
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

/// Pods that have not ended, and the nodes that they are bound to.
struct PodTable {
    std::vector<std::shared_ptr<const PodBlock>> blocks;  ///< all but the last are full
    std::size_t count = 0;
    std::vector<PodIndex> bound;      ///< bound pods, sorted by node
    std::vector<std::size_t> bounds;  ///< in `bound`, node i has [bounds[i], bounds[i + 1])
    std::vector<PodIndex> unbound;
    std::vector<std::int64_t> requested;  ///< in the layout of NodeTable::allocatable

    const PodBlock& block(PodIndex pod) const noexcept { return *blocks[pod / PodBlock::size]; }
    std::size_t bytes() const noexcept;
};

struct DaemonSets {
    std::vector<std::shared_ptr<const DaemonSetObject>> objects;
    std::vector<DaemonSetRow> rows;  ///< the same order
    std::size_t bytes = 0;
};

/// The default spread constraints of each equivalence group, see default_spread.hpp.
struct DefaultSpreads {
    std::vector<std::uint32_t> by_pod_group;           ///< by PodGroupId: index into `lists`
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
