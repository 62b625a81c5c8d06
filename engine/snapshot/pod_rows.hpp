/// The builder's pods that have not ended, as rows without gaps that are found by namespace and
/// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/snapshot/cluster_state.hpp"

namespace capstan::engine::snapshot {

/// Pods are stored in blocks. Clusters share the blocks, and a shared block is copied before it is
/// written to. [one thread]
class PodRows {
public:
    explicit PodRows(const Pools& pools) : pools_(pools) {}

    std::optional<PodIndex> find(Symbol ns, Symbol name) const;
    /// Adds a row for a pod that has none. The caller fills in all columns but name and equivalence
    /// group.
    PodIndex add(Symbol name, PodGroupId equivalence_group);
    /// Removes a pod. The last pod takes its index.
    void remove(PodIndex pod);
    const PodBlock& block(PodIndex pod) const noexcept { return *blocks_[pod / PodBlock::size]; }
    /// The pod's block for writing; a shared block is replaced by a copy.
    PodBlock& open(PodIndex pod);

    std::size_t size() const noexcept { return size_; }
    /// All blocks for a cluster. They are shared from then on.
    std::vector<std::shared_ptr<const PodBlock>> share();

private:
    std::uint64_t hash_of(PodIndex pod) const noexcept;

    const Pools& pools_;
    std::vector<std::shared_ptr<PodBlock>> blocks_;
    std::vector<bool> is_shared_;  // by block
    std::size_t size_ = 0;
    HashIndex index_;
};

}  // namespace capstan::engine::snapshot
