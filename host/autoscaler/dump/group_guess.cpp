#include "autoscaler/dump/group_guess.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include <capstan/well_known.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/templates/node_taints.hpp"
#include "engine/templates/templates.hpp"

namespace capstan::autoscaler::dump {
namespace {

/// Labels that name a node's pool, most specific first. The first one that a node has counts.
constexpr std::array<std::string_view, 9> pool_labels{"alpha.eksctl.io/nodegroup-name",
                                                      "eks.amazonaws.com/nodegroup",
                                                      "cloud.google.com/gke-nodepool",
                                                      "kubernetes.azure.com/agentpool",
                                                      "agentpool",
                                                      well_known::kops_instance_group_label,
                                                      "karpenter.sh/nodepool",
                                                      "cluster.x-k8s.io/deployment-name",
                                                      "node.kubernetes.io/pool"};
/// Labels for the other parts of a group's key; the second of each is the older spelling.
constexpr std::array<std::string_view, 2> type_labels{well_known::instance_type_label,
                                                      well_known::beta_instance_type_label};
constexpr std::array<std::string_view, 2> zone_labels{well_known::zone_label,
                                                      well_known::beta_zone_label};
constexpr std::array<std::string_view, 2> arch_labels{well_known::arch_label,
                                                      well_known::beta_arch_label};
constexpr std::array<std::string_view, 2> os_labels{well_known::os_label,
                                                    well_known::beta_os_label};

std::string first_label(const Labels& labels, std::span<const std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const auto at = labels.find(key); at != labels.end()) return at->second;
    }
    return {};
}

struct GroupKey {
    std::string pool{}, type{}, zone{}, arch{}, os{};
    auto operator<=>(const GroupKey&) const = default;
};

GroupKey group_key_of(const engine::snapshot::NodeObject& node) {
    return {.pool = first_label(node.labels, pool_labels),
            .type = first_label(node.labels, type_labels),
            .zone = first_label(node.labels, zone_labels),
            .arch = first_label(node.labels, arch_labels),
            .os = first_label(node.labels, os_labels)};
}

/// Whether the node may belong to a group: no control plane node and no virtual kubelet.
bool is_groupable(const engine::snapshot::NodeObject& node) {
    const auto has = [&](std::string_view key) {
        return node.labels.find(key) != node.labels.end();
    };
    const auto type = node.labels.find("type");
    const bool is_virtual = type != node.labels.end() && type->second == "virtual-kubelet";
    return !is_virtual && !has(well_known::control_plane_label) &&
           !has("node-role.kubernetes.io/master");
}

void keep_common(Labels& labels, const Labels& others) {
    std::erase_if(labels, [&](const auto& pair) {
        const auto at = others.find(pair.first);
        return at == others.end() || at->second != pair.second;
    });
}

void keep_common(std::vector<Taint>& taints, const std::vector<Taint>& others) {
    std::erase_if(taints, [&](const Taint& taint) {
        return std::ranges::find(others, taint) == others.end();
    });
}

/// A resource of a device plugin, which may report it minutes after the node has become ready.
bool is_of_device(std::string_view resource) {
    return resource.find('/') != std::string_view::npos;
}

/// The smaller amount of each resource. A resource that one side lacks is left out, unless a device
/// plugin reports it: then the other side counts.
Resources least_of(const Resources& a, const Resources& b) {
    Resources out;
    for (const auto& [resource, amount] : a) {
        const std::int64_t other = b.amount(resource);
        if (other > 0 || !is_of_device(resource)) {
            if (b.find(resource)) out.set(resource, std::min(amount, other));
        } else {
            out.set(resource, amount);
        }
    }
    for (const auto& [resource, amount] : b) {
        if (is_of_device(resource) && a.amount(resource) == 0) out.set(resource, amount);
    }
    return out;
}

/// The nodes of the group that say what a new node looks like. A node that is not ready, is
/// cordoned or is being removed says so only if no other node of the group does.
std::vector<const engine::snapshot::NodeObject*> model_nodes(
    std::span<const engine::snapshot::NodeObject> nodes, const GuessedGroup& group, Time now) {
    std::vector<const engine::snapshot::NodeObject*> all, ready, candidates;
    for (const std::size_t index : group.nodes) {
        const engine::snapshot::NodeObject& node = nodes[index];
        engine::snapshot::NodeRow row;
        row.taints = node.taints;
        row.unschedulable = node.unschedulable;
        row.ready = node.ready;
        row.ready_since = node.ready_since;
        all.push_back(&node);
        if (node.ready) ready.push_back(&node);
        if (engine::templates::why_not_template_candidate(row, nullptr, now).empty())
            candidates.push_back(&node);
    }
    return !candidates.empty() ? candidates : !ready.empty() ? ready : all;
}

/// Makes the template of what the nodes have in common.
void describe(const std::vector<const engine::snapshot::NodeObject*>& models,
              const engine::Settings& settings, NodeTemplate& out) {
    out.labels = models.front()->labels;
    out.labels.erase(std::string(well_known::hostname_label));
    out.taints = engine::templates::lasting_taints(models.front()->taints, settings);
    out.capacity = models.front()->capacity;
    out.allocatable = models.front()->allocatable;
    for (const engine::snapshot::NodeObject* const node : models) {
        keep_common(out.labels, node->labels);
        keep_common(out.taints, node->taints);
        out.capacity = least_of(out.capacity, node->capacity);
        out.allocatable = least_of(out.allocatable, node->allocatable);
    }
    out.free = out.allocatable;
}

/// The pool, or else the machine type, and the zone, joined by a dash.
std::string base_id(const GroupKey& kind) {
    std::string out = kind.pool.empty() ? kind.type : kind.pool;
    if (!kind.zone.empty()) out += "-" + kind.zone;
    return out;
}

/// Gives each group its base id. Groups with equal base ids add machine type, architecture and
/// operating system.
void make_ids(std::map<GroupKey, GuessedGroup>& groups) {
    std::map<std::string, int> uses;
    for (const auto& [kind, group] : groups) ++uses[base_id(kind)];
    for (auto& [kind, group] : groups) {
        group.id = base_id(kind);
        if (uses[group.id] < 2) continue;
        for (const std::string* part : {&kind.type, &kind.arch, &kind.os})
            if (!part->empty()) group.id += "-" + *part;
    }
}

}  // namespace

std::vector<GuessedGroup> guess_groups(std::span<const engine::snapshot::NodeObject> nodes,
                                       const engine::Settings& settings, Time now) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (is_groupable(nodes[i])) order.push_back(i);
    std::ranges::sort(order, {},
                      [&](std::size_t i) -> const std::string& { return nodes[i].name; });

    std::map<GroupKey, GuessedGroup> groups;
    for (const std::size_t i : order) {
        const GroupKey kind = group_key_of(nodes[i]);
        if (kind.pool.empty() && kind.type.empty()) continue;
        GuessedGroup& group = groups[kind];
        group.nodes.push_back(i);
        group.pool = kind.pool;
        group.node.machine_type = kind.type;
        group.node.zone = kind.zone;
        group.node.arch = kind.arch;
        group.node.os = kind.os;
    }
    make_ids(groups);

    std::vector<GuessedGroup> out;
    for (auto& [kind, group] : groups) {
        group.node.name = group.id;
        describe(model_nodes(nodes, group, now), settings, group.node);
        out.push_back(std::move(group));
    }
    std::ranges::sort(out, {}, &GuessedGroup::id);
    return out;
}

}  // namespace capstan::autoscaler::dump
