#include "engine/snapshot/cluster.hpp"

#include <algorithm>

#include "engine/snapshot/cluster_state.hpp"

namespace capstan::engine::snapshot {
namespace {

std::span<const std::int64_t> row_of(const std::vector<std::int64_t>& matrix, std::size_t row,
                                     std::size_t columns) noexcept {
    return {matrix.data() + row * columns, columns};
}

}  // namespace

std::size_t Cluster::node_count() const noexcept { return state_->nodes->rows.size(); }

const NodeRow& Cluster::node(NodeIndex index) const noexcept { return state_->nodes->rows[index]; }

std::optional<NodeIndex> Cluster::find_node(std::string_view name) const noexcept {
    const std::vector<NodeRow>& rows = state_->nodes->rows;
    const auto at = std::lower_bound(
        rows.begin(), rows.end(), name,
        [&](const NodeRow& row, std::string_view wanted) { return text(row.name) < wanted; });
    if (at == rows.end() || text(at->name) != name) return std::nullopt;
    return static_cast<NodeIndex>(at - rows.begin());
}

std::span<const std::int64_t> Cluster::allocatable(NodeIndex index) const noexcept {
    return row_of(state_->nodes->allocatable, index, resource_count());
}

std::span<const std::int64_t> Cluster::requested(NodeIndex index) const noexcept {
    return row_of(state_->pods->requested, index, resource_count());
}

std::span<const PodIndex> Cluster::pods_on(NodeIndex index) const noexcept {
    const PodTable& pods = *state_->pods;
    return {pods.bound.data() + pods.bounds[index], pods.bounds[index + 1] - pods.bounds[index]};
}

std::size_t Cluster::resource_count() const noexcept { return state_->nodes->resource_count; }

std::string_view Cluster::resource_name(ResourceIndex index) const noexcept {
    return text(state_->pools->resource(index));
}

std::optional<ResourceIndex> Cluster::find_resource(std::string_view name) const noexcept {
    for (ResourceIndex index = 0; index < resource_count(); ++index) {
        if (resource_name(index) == name) return index;
    }
    return std::nullopt;
}

std::size_t Cluster::pod_count() const noexcept { return state_->pods->count; }

PodRow Cluster::pod(PodIndex index) const noexcept {
    const PodBlock& block = state_->pods->block(index);
    const std::size_t row = index % PodBlock::size;
    const NodeSlot slot = block.node[row];
    const NodeTable& nodes = *state_->nodes;
    return {.name = block.name[row],
            .uid = block.uid[row],
            .equivalence_group = block.equivalence_group[row],
            .node = slot == no_slot ? no_node : nodes.index_of[slot],
            .node_name = slot == no_slot ? Symbol::empty : nodes.name_of[slot],
            .nominated_node = block.nominated_node[row],
            .unscheduled_reason = block.unscheduled_reason[row],
            .phase = block.phase[row],
            .gated = block.gated[row],
            .deleted = block.deleted[row],
            .deleted_at = block.deleted_at[row],
            .created = block.created[row]};
}

PodGroupId Cluster::equivalence_group_of(PodIndex index) const noexcept {
    return state_->pods->block(index).equivalence_group[index % PodBlock::size];
}

bool Cluster::is_deleted(PodIndex index) const noexcept {
    return state_->pods->block(index).deleted[index % PodBlock::size];
}

std::vector<PodIndex> Cluster::deleted_pods() const {
    std::vector<PodIndex> out;
    const PodTable& pods = *state_->pods;
    for (std::size_t first = 0; first < pods.count; first += PodBlock::size) {
        const auto& deleted = pods.blocks[first / PodBlock::size]->deleted;
        const bool* const end = deleted.data() + std::min(pods.count - first, PodBlock::size);
        const bool* at = deleted.data();
        while ((at = std::find(at, end, true)) != end)
            out.push_back(static_cast<PodIndex>(first + (at++ - deleted.data())));
    }
    return out;
}

std::size_t Cluster::pod_group_count() const noexcept { return state_->pod_group_count; }

const PodGroupRow& Cluster::equivalence_group(PodGroupId id) const noexcept {
    return state_->pools->equivalence_group(id);
}

std::span<const SpreadConstraint> Cluster::spread(PodGroupId id) const noexcept {
    const std::vector<SpreadConstraint>& own = equivalence_group(id).spec->spread;
    const DefaultSpreads* const defaults = state_->default_spreads.get();
    if (!own.empty() || defaults == nullptr || id >= defaults->by_pod_group.size()) return own;
    return defaults->lists[defaults->by_pod_group[id]];
}

std::span<const PodIndex> Cluster::unbound() const noexcept { return state_->pods->unbound; }

std::span<const DaemonSetRow> Cluster::daemon_sets() const noexcept {
    return state_->daemon_sets->rows;
}

std::string_view Cluster::text(Symbol symbol) const noexcept {
    return state_->pools->symbols.text(symbol);
}

const ClusterObjects& Cluster::objects() const noexcept { return *state_->objects; }

std::size_t Cluster::bytes() const noexcept { return state_->bytes; }

PodEquivalenceGroup describe(const Cluster& cluster, PodGroupId id, std::string_view example,
                             std::uint32_t count) {
    const PodGroupRow& row = cluster.equivalence_group(id);
    return {.ns = std::string(cluster.text(row.ns)),
            .example = std::string(example),
            .owner_kind = row.owner->kind,
            .owner_name = row.owner->name,
            .scheduler = row.spec->scheduler,
            .requests = row.spec->requests,
            .labels = to_labels(cluster, row.labels),
            .annotations = to_labels(cluster, row.annotations),
            .node_selector = row.spec->node_selector,
            .affinity_required = row.spec->affinity_required,
            .affinity_preferred = row.spec->affinity_preferred,
            .tolerations = row.spec->tolerations,
            .priority = row.spec->priority.value_or(0),
            .count = count};
}

std::optional<Symbol> find_label(const Cluster& cluster, std::span<const LabelPair> labels,
                                 std::string_view key) noexcept {
    const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                     [&](const LabelPair& pair, std::string_view wanted) {
                                         return cluster.text(pair.key) < wanted;
                                     });
    if (at == labels.end() || cluster.text(at->key) != key) return std::nullopt;
    return at->value;
}

Labels to_labels(const Cluster& cluster, std::span<const LabelPair> labels) {
    Labels out;
    for (const LabelPair& pair : labels)
        out.emplace_hint(out.end(), cluster.text(pair.key), cluster.text(pair.value));
    return out;
}

std::vector<std::string_view> addresses_of(const Cluster& cluster, const NodeRow& node) {
    std::vector<std::string_view> out;
    for (std::string_view left = cluster.text(node.addresses); !left.empty();) {
        const std::size_t end = std::min(left.find(' '), left.size());
        out.push_back(left.substr(0, end));
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return out;
}

}  // namespace capstan::engine::snapshot
