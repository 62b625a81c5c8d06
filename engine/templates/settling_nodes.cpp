#include "engine/templates/settling_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/templates/node_taints.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::templates {

bool is_extended(std::string_view resource) noexcept {
    return resource.find('/') != std::string_view::npos && !resource.starts_with("hugepages-") &&
           !resource.starts_with("attachable-volumes-");
}

namespace {

Resources missing_devices(const NodeTemplate& promised, const snapshot::NodeRow& node) {
    Resources out;
    for (const Resources* amounts : {&promised.capacity, &promised.allocatable})
        for (const auto& [resource, amount] : *amounts)
            if (is_extended(resource) && node.allocatable->amount(resource) < amount)
                out.set(resource, amount);
    return out;
}

/// Labels that every node is assumed to have (fill_labels) are a promise only if the cloud
/// describes them.
Labels missing_labels(const snapshot::Cluster& cluster, const NodeTemplate& promised,
                      const NodeTemplate* described, const snapshot::NodeRow& node) {
    Labels out;
    for (const auto& [key, value] : promised.labels) {
        const bool is_promised =
            !is_filled_label(key) || (key != well_known::hostname_label && described != nullptr &&
                                      described->labels.contains(key));
        if (is_promised && !find_label(cluster, node.labels, key)) out.emplace(key, value);
    }
    return out;
}

std::vector<Taint> unpromised_taints(const NodeTemplate& promised, const snapshot::NodeRow& node,
                                     const Settings& settings) {
    std::vector<Taint> out = lasting_taints({node.taints.begin(), node.taints.end()}, settings);
    std::erase_if(out, [&](const Taint& taint) {
        return std::ranges::find(promised.taints, taint) != promised.taints.end();
    });
    return out;
}

/// Empty for a node that is not settling.
scheduling::NodePromise find_promise(const snapshot::Cluster& cluster, NodeIndex n,
                                     const NodeTemplate& promised, const Group& group,
                                     const Settings& settings, NextChange& next_change) {
    const snapshot::NodeRow& node = cluster.node(n);
    const Time ready = next_change.time().measured(node.ready_since);
    const Duration device_settling_time =
        group.options.device_settling_time.value_or(settings.device_settling_time);
    const Duration settling_time = group.options.settling_time.value_or(settings.settling_time);
    const Duration longest = std::max(device_settling_time, settling_time);
    scheduling::NodePromise out{.node = n};
    const Duration ready_for = next_change.now() - ready;
    // A node of the future (see why_not_template_candidate) is not known to settle.
    if (ready_for >= longest || ready_for <= -stabilization_delay ||
        node.ready_since - node.created > settings.max_node_startup_time)
        return out;
    Resources devices = missing_devices(promised, node);
    if (!devices.empty() && next_change.is_younger(ready, device_settling_time))
        out.allocatable = std::move(devices);
    Labels labels = missing_labels(cluster, promised, group.described.get(), node);
    std::vector<Taint> taints = unpromised_taints(promised, node, settings);
    if ((!labels.empty() || !taints.empty()) && next_change.is_younger(ready, settling_time)) {
        out.labels = std::move(labels);
        out.removed_taints = std::move(taints);
    }
    return out;
}

}  // namespace

std::vector<scheduling::NodePromise> find_promises(const Snapshot& snapshot,
                                                   const Membership& membership,
                                                   const std::vector<GroupTemplate>& templates,
                                                   const std::vector<bool>& usable,
                                                   const Settings& settings,
                                                   NextChange& next_change) {
    std::vector<scheduling::NodePromise> out;
    for (std::size_t g = 0; g < templates.size(); ++g) {
        if (templates[g].node == nullptr) continue;
        for (const NodeIndex n : membership.nodes[g]) {
            if (!usable[n]) continue;
            scheduling::NodePromise promise =
                find_promise(snapshot.cluster, n, *templates[g].node, (*snapshot.groups)[g],
                             settings, next_change);
            if (!promise.empty()) out.push_back(std::move(promise));
        }
    }
    std::ranges::sort(out, {}, &scheduling::NodePromise::node);
    return out;
}

std::string describe_promise(const scheduling::NodePromise& promise) {
    std::vector<std::string> parts;
    for (const auto& [resource, amount] : promise.allocatable) parts.emplace_back(resource);
    for (const auto& [key, value] : promise.labels) parts.push_back("label " + key);
    for (const Taint& taint : promise.removed_taints)
        parts.push_back("removal of taint " + to_string(taint));
    return listed(parts, [](const std::string& part) { return part; });
}

bool awaits_promise(const snapshot::Cluster& cluster, NodeIndex node, const Group& group,
                    const ObservedNode* observed, const Settings& settings, Time wall) {
    NextChange next_change(wall);
    if (group.described != nullptr)
        return !find_promise(cluster, node, *group.described, group, settings, next_change).empty();
    if (observed == nullptr) return false;
    const NodeTraits& traits = observed->traits;
    const NodeTemplate promised{.labels = traits.labels,
                                .taints = traits.taints,
                                .capacity = traits.capacity,
                                .allocatable = traits.allocatable};
    return !find_promise(cluster, node, promised, group, settings, next_change).empty();
}

}  // namespace capstan::engine::templates
