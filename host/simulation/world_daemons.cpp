// DaemonSets: one pod on each node that takes it.
#include <algorithm>
#include <vector>

#include <capstan/pod.hpp>

#include "simulation/world.hpp"

namespace capstan::simulation {
namespace {

/// What the DaemonSet controller lets its pods tolerate beyond what their template says.
const std::vector<Toleration>& daemon_tolerations() {
    static const std::vector<Toleration> tolerations = [] {
        std::vector<Toleration> out;
        for (const auto& [key, effect] : {std::pair{"not-ready", Effect::no_execute},
                                          std::pair{"unreachable", Effect::no_execute},
                                          std::pair{"disk-pressure", Effect::no_schedule},
                                          std::pair{"memory-pressure", Effect::no_schedule},
                                          std::pair{"pid-pressure", Effect::no_schedule},
                                          std::pair{"unschedulable", Effect::no_schedule},
                                          // Its pods are bound by the scheduler, which for want of
                                          // a node's readiness alone does not wait.
                                          std::pair{"not-ready", Effect::no_schedule}}) {
            out.push_back({.key = std::string("node.kubernetes.io/") + key,
                           .op = Toleration::Op::exists,
                           .effect = effect});
        }
        return out;
    }();
    return tolerations;
}

bool runs_on(const engine::PodObject& daemon, const engine::NodeObject& node,
             const Resources& requested) {
    std::vector<Toleration> tolerations = daemon.spec.tolerations;
    tolerations.insert(tolerations.end(), daemon_tolerations().begin(), daemon_tolerations().end());
    const auto& terms = daemon.spec.affinity_required;
    return has_all(node.labels, daemon.spec.node_selector) &&
           (terms.empty() || matches_any(terms, node.labels, node.name)) &&
           find_untolerated(node.taints, tolerations) == nullptr &&
           fits_in(daemon.spec.requests, node.allocatable - requested);
}

}  // namespace

void World::add_daemons(Node& node, Time now) {
    for (const BatchId of : daemon_sets_) {
        const engine::PodObject& look = batches_[of].look;
        const bool present = std::ranges::any_of(node.pods, [&](PodId pod) {
            const engine::PodObject& other = batches_[pods_[pod].batch].look;
            return other.ns == look.ns && other.owner.kind == look.owner.kind &&
                   other.owner.name == look.owner.name;
        });
        if (present || !runs_on(look, node.object, node.requested)) continue;
        const PodId id = enter(of, look.name + "-" + node.object.name, now);
        occupy(id, node, now);
        builder_.set(object_of(id));
    }
}

}  // namespace capstan::simulation
