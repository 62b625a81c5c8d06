#include "runtime/pass_metrics/gpus.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <capstan/well_known.hpp>

#include "engine/limits/limits.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::runtime::pass_metrics {
namespace {

/// Clouds label nodes with the make of their GPUs; the last one is written by NVIDIA's own feature
/// discovery.
constexpr std::array<std::string_view, 5> gpu_labels{
    "k8s.amazonaws.com/accelerator", "cloud.google.com/gke-accelerator",
    "accelerator",  // Azure
    "cluster-api/accelerator", well_known::nvidia_gpu_product_label};

/// What tells of a GPU on a node, or on a new one.
struct Signs {
    std::optional<std::string> label{};  ///< its value
    std::string resource{};              ///< with an amount; empty: none
};

std::string find_gpu_resource(const Resources& capacity) {
    const auto at = std::ranges::find_if(capacity, [](const Resources::Entry& entry) {
        return entry.amount > 0 && engine::limits::is_gpu(entry.resource);
    });
    return at == capacity.end() ? "" : at->resource;
}

Signs signs_of(const NodeTemplate& node) {
    Signs out{.resource = find_gpu_resource(node.capacity)};
    for (const std::string_view key : gpu_labels) {
        const auto at = node.labels.find(std::string(key));
        if (at != node.labels.end() && !out.label) out.label = at->second;
    }
    return out;
}

Signs signs_of(const engine::snapshot::Cluster& cluster, engine::snapshot::NodeIndex index) {
    const engine::snapshot::NodeRow& node = cluster.node(index);
    Signs out{.resource = find_gpu_resource(*node.capacity)};
    for (const std::string_view key : gpu_labels) {
        const auto value = engine::snapshot::find_label(cluster, node.labels, key);
        if (value && !out.label) out.label = std::string(cluster.text(*value));
    }
    return out;
}

Signs signs_of_group(const engine::Snapshot& snapshot, const NodeGroupId& id) {
    const engine::Group* group = engine::find_group(snapshot, id);
    if (group == nullptr) return {};
    if (group->described) return signs_of(*group->described);
    const engine::templates::Membership membership = engine::templates::make_membership(snapshot);
    const auto& nodes = membership.nodes[static_cast<std::size_t>(group - snapshot.groups->data())];
    return nodes.empty() ? Signs{} : signs_of(snapshot.cluster, nodes.front());
}

/// `of_group`: whether its group's new machines have one.
template <class OfGroup>
Gpu make_gpu(const Signs& signs, OfGroup of_group) {
    const bool is_named = signs.label && !signs.label->empty();
    if (!signs.resource.empty()) return {signs.resource, is_named ? *signs.label : "generic"};
    if (!signs.label) return {};
    return {std::string(well_known::nvidia_gpu), of_group() ? "missing-gpu" : "unexpected-label"};
}

}  // namespace

Gpu gpu_of_group(const engine::Snapshot& snapshot, const NodeGroupId& group) {
    return make_gpu(signs_of_group(snapshot, group), [] { return false; });
}

Gpu gpu_of_node(const engine::Snapshot& snapshot, std::string_view node, const NodeGroupId& group) {
    const std::optional<engine::snapshot::NodeIndex> index = snapshot.cluster.find_node(node);
    if (!index) return gpu_of_group(snapshot, group);
    return make_gpu(signs_of(snapshot.cluster, *index),
                    [&] { return !signs_of_group(snapshot, group).resource.empty(); });
}

prometheus::Labels labels_of(const Gpu& gpu) {
    return {{"gpu_resource_name", gpu.resource}, {"gpu_name", gpu.name}};
}

prometheus::Labels labels_with_drivers(const Gpu& gpu) {
    prometheus::Labels out = labels_of(gpu);
    out["dra_drivers"] = "";
    return out;
}

}  // namespace capstan::runtime::pass_metrics
