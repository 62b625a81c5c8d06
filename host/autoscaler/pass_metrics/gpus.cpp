#include "autoscaler/pass_metrics/gpus.hpp"

#include <algorithm>
#include <optional>

#include <capstan/well_known.hpp>

#include "engine/limits/limits.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

/// The GPU label and the GPU resource of a node or of a template.
struct GpuFacts {
    std::optional<std::string> label{};  ///< the label's value; absent: no label
    std::string resource{};              ///< the GPU resource; empty: its amount is zero
};

std::string find_gpu_resource(const Resources& capacity) {
    const auto at = std::ranges::find_if(capacity, [](const Resources::Entry& entry) {
        return entry.amount > 0 && engine::limits::is_gpu(entry.resource);
    });
    return at == capacity.end() ? "" : at->resource;
}

GpuFacts gpu_facts_of(const NodeTemplate& node) {
    GpuFacts out{.resource = find_gpu_resource(node.capacity)};
    for (const std::string_view key : engine::limits::gpu_labels()) {
        const auto at = node.labels.find(std::string(key));
        if (at != node.labels.end() && !out.label) out.label = at->second;
    }
    return out;
}

GpuFacts gpu_facts_of(const engine::snapshot::Cluster& cluster, engine::NodeIndex index) {
    const engine::snapshot::NodeRow& node = cluster.node(index);
    GpuFacts out{.resource = find_gpu_resource(*node.capacity)};
    for (const std::string_view key : engine::limits::gpu_labels()) {
        const auto value = engine::snapshot::find_label(cluster, node.labels, key);
        if (value && !out.label) out.label = std::string(cluster.text(*value));
    }
    return out;
}

GpuFacts gpu_facts_of_group(const engine::Snapshot& snapshot, const NodeGroupId& id) {
    const engine::Group* group = engine::find_group(snapshot, id);
    if (group == nullptr) return {};
    if (group->described) return gpu_facts_of(*group->described);
    const engine::templates::Membership membership = engine::templates::make_membership(snapshot);
    const auto& nodes = membership.nodes[static_cast<std::size_t>(group - snapshot.groups->data())];
    return nodes.empty() ? GpuFacts{} : gpu_facts_of(snapshot.cluster, nodes.front());
}

/// `has_group_gpu` returns whether new machines of the node's group have a GPU.
template <class HasGroupGpu>
Gpu make_gpu(const GpuFacts& facts, HasGroupGpu has_group_gpu) {
    const bool is_named = facts.label && !facts.label->empty();
    if (!facts.resource.empty()) return {facts.resource, is_named ? *facts.label : "generic"};
    if (!facts.label) return {};
    return {std::string(well_known::nvidia_gpu),
            has_group_gpu() ? "missing-gpu" : "unexpected-label"};
}

}  // namespace

Gpu gpu_of_group(const engine::Snapshot& snapshot, const NodeGroupId& group) {
    return make_gpu(gpu_facts_of_group(snapshot, group), [] { return false; });
}

Gpu gpu_of_node(const engine::Snapshot& snapshot, std::string_view node, const NodeGroupId& group) {
    const std::optional<engine::NodeIndex> index = snapshot.cluster.find_node(node);
    if (!index) return gpu_of_group(snapshot, group);
    return make_gpu(gpu_facts_of(snapshot.cluster, *index),
                    [&] { return !gpu_facts_of_group(snapshot, group).resource.empty(); });
}

prometheus::Labels labels_of(const Gpu& gpu) {
    return {{"gpu_resource_name", gpu.resource}, {"gpu_name", gpu.name}};
}

prometheus::Labels labels_with_drivers(const Gpu& gpu) {
    prometheus::Labels out = labels_of(gpu);
    out["dra_drivers"] = "";
    return out;
}

}  // namespace capstan::autoscaler::pass_metrics
