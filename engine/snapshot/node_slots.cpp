#include "engine/snapshot/node_slots.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::snapshot {
namespace {

// Pools store each distinct value once, so equal addresses mean equal values.
template <class T>
bool is_unchanged(std::span<const T> a, std::span<const T> b) noexcept {
    return a.data() == b.data() && a.size() == b.size();
}

bool is_unchanged(const NodeRow& a, const NodeRow& b) noexcept {
    return a.name == b.name && a.provider_id == b.provider_id && is_unchanged(a.labels, b.labels) &&
           is_unchanged(a.annotations, b.annotations) && is_unchanged(a.taints, b.taints) &&
           a.capacity == b.capacity && a.allocatable == b.allocatable &&
           a.unschedulable == b.unschedulable && a.ready == b.ready && a.suspended == b.suspended &&
           a.ready_since == b.ready_since && a.created == b.created && a.addresses == b.addresses;
}

/// One text, separated by spaces, so that a node costs one symbol: hardly any node needs its
/// addresses. Its name is left out, because that is often an address, too.
std::string joined_addresses(const NodeObject& object) {
    std::set<std::string_view> addresses(object.addresses.begin(), object.addresses.end());
    addresses.erase(object.name);
    std::string out;
    for (const std::string_view address : addresses) {
        if (address.empty() || address.find(' ') != std::string_view::npos) continue;
        if (!out.empty()) out += ' ';
        out += address;
    }
    return out;
}

}  // namespace

bool NodeSlots::set(const NodeObject& object) {
    const NodeSlot slot = slot_for(object.name);
    Node& node = nodes_[slot];
    const bool is_new = node.allocatable == nullptr;
    if (is_new) order_.insert(position(object.name), slot);
    node.allocatable = &pools_.add_amounts(object.allocatable);
    const NodeRow row = {.name = node.row.name,
                         .provider_id = pools_.symbols.add(object.provider_id),
                         .labels = pools_.add_labels(object.labels),
                         .annotations = pools_.add_annotations(object.annotations),
                         .taints = pools_.add_taints(object.taints),
                         .capacity = &pools_.add_amounts(object.capacity).resources,
                         .allocatable = &node.allocatable->resources,
                         .unschedulable = object.unschedulable,
                         .ready = object.ready,
                         .suspended = object.suspended,
                         .addresses = pools_.symbols.add(joined_addresses(object)),
                         .ready_since = object.ready_since,
                         .created = object.created};
    if (!is_new && is_unchanged(row, node.row)) return false;
    node.row = row;
    table_.reset();
    return true;
}

bool NodeSlots::remove(std::string_view name) {
    const auto at = position(name);
    if (at == order_.end() || nodes_[*at].name != name) return false;
    const NodeSlot slot = *at;
    order_.erase(at);
    nodes_[slot].allocatable = nullptr;
    release_if_unused(slot);
    table_.reset();
    return true;
}

NodeSlot NodeSlots::add_pod(std::string_view node, std::span<const Request> requests) {
    if (node.empty()) return no_slot;
    const NodeSlot slot = slot_for(node);
    ++nodes_[slot].pods;
    if (width_ < pools_.resource_count() || sums_.size() <= slot * width_) widen_sums();
    capstan::detail::Int128* const sum = sums(slot);
    for (const Request& request : requests) sum[request.resource] += request.amount;
    return slot;
}

void NodeSlots::drop_pod(NodeSlot slot, std::span<const Request> requests) {
    if (slot == no_slot) return;
    --nodes_[slot].pods;
    capstan::detail::Int128* const sum = sums(slot);
    for (const Request& request : requests) sum[request.resource] -= request.amount;
    release_if_unused(slot);
}

void NodeSlots::widen_sums() {
    const std::size_t width = std::max(width_, pools_.resource_count());
    std::vector<capstan::detail::Int128> wider(nodes_.capacity() * width);
    for (std::size_t i = 0; i < sums_.size(); ++i)
        wider[i / width_ * width + i % width_] = sums_[i];
    sums_ = std::move(wider);
    width_ = width;
}

NodeSlot NodeSlots::slot_for(std::string_view name) {
    const std::uint64_t hash = hash_of(name);
    const auto found = index_.find(hash, [&](NodeSlot slot) { return nodes_[slot].name == name; });
    if (found) return *found;
    if (free_.empty()) {
        free_.push_back(static_cast<NodeSlot>(nodes_.size()));
        nodes_.emplace_back();
    }
    const NodeSlot slot = free_.back();
    free_.pop_back();
    nodes_[slot].row.name = pools_.symbols.add(name);
    nodes_[slot].name = pools_.symbols.text(nodes_[slot].row.name);
    index_.insert(hash, slot);
    table_.reset();
    return slot;
}

void NodeSlots::release_if_unused(NodeSlot slot) {
    const Node& node = nodes_[slot];
    if (node.allocatable != nullptr || node.pods != 0) return;
    index_.erase(hash_of(node.name), slot);
    free_.push_back(slot);
    table_.reset();
}

std::vector<NodeSlot>::iterator NodeSlots::position(std::string_view name) {
    // An API server lists by name, so most nodes come last.
    if (order_.empty() || nodes_[order_.back()].name < name) return order_.end();
    return std::lower_bound(
        order_.begin(), order_.end(), name,
        [&](NodeSlot slot, std::string_view wanted) { return nodes_[slot].name < wanted; });
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
    std::vector<std::int64_t> out(table.rows.size() * table.resource_count);
    auto row = out.begin();
    for (const NodeSlot slot : table.slots) {
        const std::size_t first = slot * width_;
        for (std::size_t i = 0; i < width_ && first < sums_.size(); ++i)
            row[static_cast<std::ptrdiff_t>(i)] = capstan::detail::saturated(sums_[first + i]);
        row[pods_index] = nodes_[slot].pods;
        row += static_cast<std::ptrdiff_t>(table.resource_count);
    }
    return out;
}

}  // namespace capstan::engine::snapshot
