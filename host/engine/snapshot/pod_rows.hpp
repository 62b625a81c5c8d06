/// The builder's pods that have not ended: rows without gaps, found by namespace and name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/snapshot/cluster_state.hpp"

namespace capstan::engine::snapshot {

/// Pods are kept in blocks that are shared with clusters; a shared one is copied before it is
/// written to. [one thread]
class PodRows {
public:
    explicit PodRows(const Pools& pools) : pools_(pools) {}

    std::optional<PodIndex> find(Symbol ns, Symbol name) const;
    /// Adds a row for a pod that has none. Its columns but the name and the class are the caller's
    /// to fill.
    PodIndex add(Symbol name, PodGroupId equivalence_group);
    /// The last pod moves to its place.
    void remove(PodIndex pod);
    const PodBlock& block(PodIndex pod) const noexcept { return *blocks_[pod / PodBlock::size]; }
    /// To write to.
    PodBlock& open(PodIndex pod);

    std::size_t size() const noexcept { return size_; }
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
