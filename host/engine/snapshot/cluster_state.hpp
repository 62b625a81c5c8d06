/// What a Cluster holds: parts that it shares with the clusters before and after it as far as
/// nothing changed.
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

// What pods and nodes have in common, kept once: a builder's memory, shared with all its clusters.

/// Values by hash, each kept once and for good.
template <class T>
class Pool {
public:
    template <class IsIt, class InstanceOffering>
    const T& add(std::uint64_t hash, IsIt is_it, InstanceOffering make) {
        return values_[add_id(hash, is_it, make)];
    }
    /// The value's number instead.
    template <class IsIt, class InstanceOffering>
    std::uint32_t add_id(std::uint64_t hash, IsIt is_it, InstanceOffering make) {
        const auto known = index_.find(hash, [&](std::uint32_t id) { return is_it(values_[id]); });
        if (known) return *known;
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

/// Reading by what was handed out is for any thread, adding (and whatever else is not const) for
/// one; everything handed out lives as long as the pools.
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

    PodGroupId add_class(const PodObject& pod);
    const PodGroupRow& equivalence_group(PodGroupId id) const noexcept { return classes_[id]; }
    std::size_t pod_group_count() const noexcept { return classes_.size(); }

    std::span<const LabelPair> add_labels(const Labels& labels);
    std::span<const LabelPair> add_annotations(const Labels& annotations);
    std::span<const Taint> add_taints(const std::vector<Taint>& taints);
    const Amounts& add_amounts(const Resources& resources);

    Symbol resource(ResourceIndex index) const noexcept { return resources_[index]; }
    std::size_t resource_count() const noexcept { return resources_.size(); }

    std::size_t bytes() const noexcept;

private:
    bool keeps_annotation(std::string_view key) const noexcept;
    /// The class of such pods whose spread has timed out; nothing: it never does.
    std::optional<PodGroupId> add_lapsed(const PodObject& pod, std::optional<Duration> timeout);
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
    bool are_claims(std::span<const Symbol> known,
                    const std::vector<std::string>& claims) const noexcept;

    std::string spread_timeout_annotation_;
    Pool<PodGroupRow> classes_;
    // By hash of the owner, the class it was last met with: most pods are like one just before.
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
