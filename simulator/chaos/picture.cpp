#include "simulator/chaos/picture.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "engine/health/backoff.hpp"
#include "engine/health/repairs.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

const engine::Group* find_group_of(const Moment& moment, std::string_view machine) {
    const auto at = std::ranges::find_if(moment.groups(), [&](const engine::Group& group) {
        return std::ranges::any_of(group.machines,
                                   [&](const Machine& each) { return each.id.value() == machine; });
    });
    return at == moment.groups().end() ? nullptr : &*at;
}

/// Whether the node is so young that it may still get what its group's template promises, and lacks
/// some of that. When that time is over, pods that were planned on it may need another node.
bool is_settling(const Moment& moment, engine::NodeIndex index) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    const engine::snapshot::NodeRow& node = cluster.node(index);
    const Duration age = moment.wall() - node.ready_since;
    const bool may_lose_taints = age < moment.settings().settling_time;
    if (!may_lose_taints && age >= moment.settings().device_settling_time) return false;
    const engine::Group* const group = find_group_of(moment, cluster.text(node.provider_id));
    if (group == nullptr || !group->described) return false;
    const NodeTemplate own = template_from_node(cluster, index);
    const NodeTemplate& promised = *group->described;
    const bool lacks_devices =
        std::ranges::any_of(promised.allocatable, [&](const Resources::Entry& amount) {
            return amount.amount > 0 && own.allocatable.amount(amount.resource) == 0;
        });
    const bool lacks_labels = std::ranges::any_of(
        promised.labels, [&](const auto& label) { return !own.labels.contains(label.first); });
    return lacks_devices || (may_lose_taints && (lacks_labels || own.taints != promised.taints));
}

std::set<std::string> nodes_without_listed_machine(const Moment& moment) {
    std::set<std::string_view> listed;
    for (const engine::Group& group : moment.groups())
        for (const Machine& machine : group.machines) listed.insert(machine.id.value());
    const engine::snapshot::Cluster& cluster = moment.cluster();
    std::set<std::string> out;
    for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const engine::snapshot::NodeRow& node = cluster.node(n);
        if (!listed.contains(cluster.text(node.provider_id))) out.emplace(cluster.text(node.name));
    }
    return out;
}

std::string node_line(const Moment& moment, engine::NodeIndex index) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    const engine::snapshot::NodeRow& node = cluster.node(index);
    std::string out(cluster.text(node.name));
    if (is_settling(moment, index)) out += " settling";
    if (!node.ready) out += " not ready";
    if (node.unschedulable) out += " cordoned";
    for (const Taint& taint : node.taints) out += " " + to_string(taint);
    for (const auto& [key, value] : engine::snapshot::to_labels(cluster, node.labels))
        out += " " + key + "=" + value;
    return out;
}

}  // namespace

Picture picture_of(const Moment& moment) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    Picture out;
    for (const engine::PodIndex pod : cluster.unbound())
        out.waiting.insert(name_of_pod(cluster, pod));
    for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const engine::snapshot::NodeRow& node = cluster.node(n);
        out.nodes.insert(node_line(moment, n));
        for (const engine::PodIndex pod : cluster.pods_on(n)) {
            if (!belongs_to_node(cluster, pod) && !cluster.is_deleted(pod))
                out.running.insert(name_of_pod(cluster, pod) + " on " +
                                   std::string(cluster.text(node.name)));
        }
    }
    out.unlisted = nodes_without_listed_machine(moment);
    for (const auto& [node, removal] : moment.memory().removals) out.going.insert(node);
    for (const engine::Group& group : moment.groups()) {
        out.targets[group.group.id.value()] = group.group.target.value_or(0);
        if (engine::health::find_backoff(moment.memory(), group, moment.now()) != nullptr)
            out.backed_off.insert(group.group.id.value());
    }
    return out;
}

bool has_failures(const Moment& moment) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
        if (!cluster.node(i).ready) return true;
    }
    return std::ranges::any_of(moment.groups(), [](const engine::Group& group) {
        return std::ranges::any_of(group.machines, [](const Machine& machine) {
            return machine.state == MachineState::failed || machine.error || machine.leaves;
        });
    });
}

bool gives_up_machines(const engine::Decision& decision) {
    return !decision.decreases.empty() ||
           std::ranges::any_of(decision.removals, [](const engine::MachineRemoval& removal) {
               return !removes_working_nodes(removal);
           });
}

bool probes_backoff(const Moment& moment, const engine::Increase& increase) {
    const auto backoff = moment.memory().backoffs.find(increase.group);
    return increase.by == 1 && increase.option == engine::health::no_option &&
           backoff != moment.memory().backoffs.end() && !backoff->second.until;
}

}  // namespace capstan::simulator::chaos
