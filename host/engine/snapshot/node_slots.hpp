/// The builder's nodes: what is known of each, and what the pods on it take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <capstan/detail/int128.hpp>

#include "engine/snapshot/cluster_state.hpp"

namespace capstan::engine::snapshot {

/// [one thread]
class NodeSlots {
public:
    explicit NodeSlots(Pools& pools) : pools_(pools) {}

    /// False: it is there just so.
    bool set(const NodeObject& node);
    bool remove(std::string_view name);

    /// Counts a pod in at the node it says it is bound to; no_slot: it says none.
    NodeSlot add_pod(std::string_view node, std::span<const Request> requests);
    /// Undoes add_pod.
    void drop_pod(NodeSlot slot, std::span<const Request> requests);

    /// The same one again while no node changed.
    std::shared_ptr<const NodeTable> table();
    /// As PodTable has it.
    std::vector<std::int64_t> requested(const NodeTable& table) const;

private:
    struct Node {
        NodeRow row{};
        std::string_view name{};                      // at hand, as every pod's set looks for it
        const Pools::Amounts* allocatable = nullptr;  // NULL: the node is not there
        std::uint32_t pods = 0;
    };

    NodeSlot slot_for(std::string_view name);
    void release_if_unused(NodeSlot slot);
    /// Where the node is in `order_`, or would be.
    std::vector<NodeSlot>::iterator position(std::string_view name);
    NodeTable make_table() const;
    /// What the pods on a node request, `width_` resources.
    capstan::detail::Int128* sums(NodeSlot slot) noexcept { return &sums_[slot * width_]; }
    /// Makes room in `sums_` for all slots and resources that there are.
    void widen_sums();

    Pools& pools_;
    std::vector<Node> nodes_;
    std::vector<NodeSlot> free_;
    std::vector<NodeSlot> order_;  // nodes that are there, by name
    HashIndex index_;              // slots by name
    // Wider than what is told of them, so that taking away is exact.
    std::vector<capstan::detail::Int128> sums_;
    std::size_t width_ = 0;
    std::shared_ptr<const NodeTable> table_;  // NULL: something changed
};

}  // namespace capstan::engine::snapshot
