/// The builder's nodes, and the sum of what the pods on each node request.
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

    /// False: the node exists and is equal.
    bool set(const NodeObject& node);
    /// False: there is no such node.
    bool remove(std::string_view name);

    /// Adds a pod's requests to the sums of the node with this name, which need not exist yet. With
    /// an empty name the result is no_slot.
    NodeSlot add_pod(std::string_view node, std::span<const Request> requests);
    /// Undoes add_pod.
    void drop_pod(NodeSlot slot, std::span<const Request> requests);

    /// The nodes of now. While nothing changes it is the same table each time.
    std::shared_ptr<const NodeTable> table();
    /// PodTable::requested for the nodes of the table.
    std::vector<std::int64_t> requested(const NodeTable& table) const;

private:
    struct Node {
        NodeRow row{};
        std::string_view name{};  // text of row.name, which each pod's `add_pod` reads
        const Pools::Amounts* allocatable = nullptr;  // NULL: there is no such node
        std::uint32_t pods = 0;
    };

    NodeSlot slot_for(std::string_view name);
    void release_if_unused(NodeSlot slot);
    /// Where the node is in `order_`, or where it would be.
    std::vector<NodeSlot>::iterator position(std::string_view name);
    NodeTable make_table() const;
    /// The sums of what the pods on a node request, `width_` resources.
    capstan::detail::Int128* sums(NodeSlot slot) noexcept { return &sums_[slot * width_]; }
    /// Makes room in `sums_` for all slots and resources that there are.
    void widen_sums();

    Pools& pools_;
    std::vector<Node> nodes_;
    std::vector<NodeSlot> free_;
    std::vector<NodeSlot> order_;  // nodes that exist, by name
    HashIndex index_;              // slots by name
    // Wider than the amounts that a cluster shows, so that sums never overflow and subtracting is
    // exact.
    std::vector<capstan::detail::Int128> sums_;
    std::size_t width_ = 0;
    std::shared_ptr<const NodeTable> table_;  // NULL: something changed since the last one
};

}  // namespace capstan::engine::snapshot
