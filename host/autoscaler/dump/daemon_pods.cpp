#include "autoscaler/dump/daemon_pods.hpp"

#include <utility>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/well_known.hpp>

namespace capstan::autoscaler::dump {
namespace {

/// The tolerations that the DaemonSet controller adds to those of the pod template.
const std::vector<Toleration>& daemon_tolerations() {
    static const std::vector<Toleration> tolerations = [] {
        std::vector<Toleration> out;
        for (const auto& [key, effect] : {std::pair{"not-ready", Effect::no_execute},
                                          std::pair{"unreachable", Effect::no_execute},
                                          std::pair{"disk-pressure", Effect::no_schedule},
                                          std::pair{"memory-pressure", Effect::no_schedule},
                                          std::pair{"pid-pressure", Effect::no_schedule},
                                          std::pair{"unschedulable", Effect::no_schedule},
                                          // Not among the controller's tolerations; a DaemonSet's
                                          // pod is bound here before its node is ready.
                                          std::pair{"not-ready", Effect::no_schedule}}) {
            out.push_back({.key = std::string(well_known::node_prefix) + key,
                           .op = Toleration::Op::exists,
                           .effect = effect});
        }
        return out;
    }();
    return tolerations;
}

}  // namespace

engine::snapshot::PodObject pod_of(const engine::snapshot::DaemonSetObject& set) {
    return {.ns = set.ns,
            .name = set.name,
            .spec = set.spec,
            .labels = set.labels,
            .annotations = set.annotations,
            .owner = {.kind = "DaemonSet", .api_group = "apps", .name = set.name, .uid = set.uid}};
}

bool is_of_one_daemon_set(const engine::snapshot::PodObject& a,
                          const engine::snapshot::PodObject& b) {
    return a.ns == b.ns && a.owner.kind == b.owner.kind && a.owner.name == b.owner.name;
}

bool runs_on(const engine::snapshot::PodObject& daemon, const engine::snapshot::NodeObject& node,
             const Resources& requested) {
    std::vector<Toleration> tolerations = daemon.spec.tolerations;
    tolerations.insert(tolerations.end(), daemon_tolerations().begin(), daemon_tolerations().end());
    const auto& terms = daemon.spec.affinity_required;
    return has_all(node.labels, daemon.spec.node_selector) &&
           (terms.empty() || matches_any(terms, node.labels, node.name)) &&
           find_untolerated(node.taints, tolerations) == nullptr &&
           fits_in(daemon.spec.requests, node.allocatable - requested);
}

std::optional<std::string> node_of_daemon(const engine::snapshot::PodObject& pod) {
    if (pod.owner.kind != "DaemonSet") return std::nullopt;
    for (const NodeSelectorTerm& term : pod.spec.affinity_required) {
        for (const Requirement& field : term.fields) {
            if (field.key == "metadata.name" && field.op == Operator::in &&
                field.values.size() == 1)
                return field.values.front();
        }
    }
    return std::nullopt;
}

}  // namespace capstan::autoscaler::dump
