#include "simulation/chaos/picture.hpp"

#include <algorithm>

#include "engine/health/backoff.hpp"
#include "engine/health/repairs.hpp"
#include "simulation/pod_predicates.hpp"

namespace capstan::simulation::chaos {
namespace {

std::string node_line(const engine::snapshot::Cluster& cluster,
                      const engine::snapshot::NodeRow& node) {
    std::string out(cluster.text(node.name));
    if (!node.ready) out += " not ready";
    if (node.unschedulable) out += " cordoned";
    for (const Taint& taint : node.taints) out += " " + to_string(taint);
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
        out.nodes.insert(node_line(cluster, node));
        for (const engine::PodIndex pod : cluster.pods_on(n)) {
            if (!belongs_to_node(cluster, pod) && !cluster.is_deleted(pod))
                out.running.insert(name_of_pod(cluster, pod) + " on " +
                                   std::string(cluster.text(node.name)));
        }
    }
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

bool probes_backoff(const Moment& moment, const engine::Increase& increase) {
    const auto backoff = moment.memory().backoffs.find(increase.group);
    return increase.by == 1 && increase.option == engine::health::no_option &&
           backoff != moment.memory().backoffs.end() && !backoff->second.until;
}

bool has_constrained_pods(const Moment& moment) {
    return std::ranges::any_of(moment.cluster().unbound(), [&](engine::PodIndex pod) {
        return has_other_constraints(moment.cluster(), pod, moment.settings());
    });
}

}  // namespace capstan::simulation::chaos
