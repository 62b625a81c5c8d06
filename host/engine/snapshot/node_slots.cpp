#include "engine/snapshot/node_slots.hpp"

#include <algorithm>

#include "engine/snapshot/fast_hash.hpp"

namespace capstan::engine {
namespace {

std::uint64_t hash_of(Symbol name) noexcept {
    FastHash hash;
    hash.add(static_cast<std::uint64_t>(name));
    return hash.value();
}

}  // namespace

void NodeSlots::set(const NodeObject& object) {
    const NodeSlot slot = slot_for(pools_.symbols.add(object.name));
    Node& node = nodes_[slot];
    if (node.allocatable == nullptr) order_.insert(position(object.name), slot);
    node.allocatable = &pools_.add_amounts(object.allocatable);
    node.row = {.name = node.row.name,
                .provider_id = pools_.symbols.add(object.provider_id),
                .labels = pools_.add_labels(object.labels),
                .annotations = pools_.add_annotations(object.annotations),
                .taints = pools_.add_taints(object.taints),
                .capacity = &pools_.add_amounts(object.capacity).resources,
                .allocatable = &node.allocatable->resources,
                .unschedulable = object.unschedulable,
                .ready = object.ready,
                .ready_since = object.ready_since,
                .created = object.created};
    table_.reset();
}

bool NodeSlots::remove(std::string_view name) {
    const auto at = position(name);
    if (at == order_.end() || pools_.symbols.text(nodes_[*at].row.name) != name) return false;
    const NodeSlot slot = *at;
    order_.erase(at);
    nodes_[slot].allocatable = nullptr;
    release_if_unused(slot);
    table_.reset();
    return true;
}

NodeSlot NodeSlots::add_pod(std::string_view node, std::span<const Request> requests) {
    if (node.empty()) return no_slot;
    const NodeSlot slot = slot_for(pools_.symbols.add(node));
    ++nodes_[slot].pods;
    if (requested_.size() < pools_.resource_count()) requested_.resize(pools_.resource_count());
    for (const Request& request : requests) {
        auto& sums = requested_[request.resource];
        if (sums.size() < nodes_.size()) sums.resize(nodes_.size());
        sums[slot] += request.amount;
    }
    return slot;
}

void NodeSlots::drop_pod(NodeSlot slot, std::span<const Request> requests) {
    if (slot == no_slot) return;
    --nodes_[slot].pods;
    for (const Request& request : requests) requested_[request.resource][slot] -= request.amount;
    release_if_unused(slot);
}

NodeSlot NodeSlots::slot_for(Symbol name) {
    const std::uint64_t hash = hash_of(name);
    const auto known =
        index_.find(hash, [&](NodeSlot slot) { return nodes_[slot].row.name == name; });
    if (known) return *known;
    if (free_.empty()) {
        free_.push_back(static_cast<NodeSlot>(nodes_.size()));
        nodes_.emplace_back();
    }
    const NodeSlot slot = free_.back();
    free_.pop_back();
    nodes_[slot].row.name = name;
    index_.insert(hash, slot);
    table_.reset();
    return slot;
}

void NodeSlots::release_if_unused(NodeSlot slot) {
    const Node& node = nodes_[slot];
    if (node.allocatable != nullptr || node.pods != 0) return;
    index_.erase(hash_of(node.row.name), slot);
    free_.push_back(slot);
    table_.reset();
}

std::vector<NodeSlot>::iterator NodeSlots::position(std::string_view name) {
    const auto name_of = [&](NodeSlot slot) { return pools_.symbols.text(nodes_[slot].row.name); };
    // An API server lists by name, so most nodes come last.
    if (order_.empty() || name_of(order_.back()) < name) return order_.end();
    return std::lower_bound(
        order_.begin(), order_.end(), name,
        [&](NodeSlot slot, std::string_view wanted) { return name_of(slot) < wanted; });
}

std::shared_ptr<const NodeTable> NodeSlots::table() {
    if (table_ == nullptr || table_->resource_count != pools_.resource_count())
        table_ = std::make_shared<const NodeTable>(make_table());
    return table_;
}

NodeTable NodeSlots::make_table() const {
    NodeTable out;
    out.resource_count = pools_.resource_count();
    out.slots = order_;
    out.index_of.assign(nodes_.size(), no_node);
    out.name_of.reserve(nodes_.size());
    for (const Node& node : nodes_) out.name_of.push_back(node.row.name);
    out.rows.reserve(order_.size());
    out.allocatable.assign(order_.size() * out.resource_count, 0);
    for (const NodeSlot slot : order_) {
        const std::size_t index = out.rows.size();
        out.index_of[slot] = static_cast<NodeIndex>(index);
        out.rows.push_back(nodes_[slot].row);
        for (const Request& amount : nodes_[slot].allocatable->by_index)
            out.allocatable[index * out.resource_count + amount.resource] = amount.amount;
    }
    return out;
}

std::vector<std::int64_t> NodeSlots::requested(const NodeTable& table) const {
    const std::size_t count = table.resource_count;
    std::vector<std::int64_t> out(table.rows.size() * count);
    for (std::size_t resource = 0; resource < requested_.size(); ++resource) {
        const auto& sums = requested_[resource];
        for (std::size_t i = 0; i < table.slots.size(); ++i) {
            if (table.slots[i] < sums.size())
                out[i * count + resource] = capstan::detail::saturated(sums[table.slots[i]]);
        }
    }
    for (std::size_t i = 0; i < table.slots.size(); ++i)
        out[i * count + pods_index] = nodes_[table.slots[i]].pods;
    return out;
}

}  // namespace capstan::engine
