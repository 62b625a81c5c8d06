/// Checks the placement of a pass with the naive scheduler.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "engine/scale_up/scale_up.hpp"
#include "naive/naive_scheduler.hpp"

namespace capstan::engine::scale_up {

/// For a scale-up that has run. The scale-up must outlive this object.
class PlacementCheck {
public:
    explicit PlacementCheck(ScaleUp& scale_up)
        : context_(scale_up.context()),
          naive_cluster_(scheduling::naive::make_naive_cluster(context_.snapshot->cluster)) {
        for (const PodGroupId id : context_.predicates->pod_groups())
            pods_.push_back(scheduling::naive::make_pod(context_.snapshot->cluster, id));
        lay_out(scale_up.placement());
    }

    /// Empty: every planned pod fits its node, in the order of decisions.
    std::string find_misplaced_pod() {
        for (bool progress = true; progress;) {
            progress = false;
            std::vector<PlannedPod> waiting;
            for (const PlannedPod& planned : planned_pods_) {
                const scheduling::naive::Pod& pod = pods_[planned.pod_group];
                // A new node is added together with its first pod.
                naive_cluster_.nodes[planned.node].gone = false;
                if (scheduling::naive::fits(naive_cluster_, pod, planned.node)) {
                    naive_cluster_.nodes[planned.node].pods.push_back(pod);
                    progress = true;
                } else {
                    waiting.push_back(planned);
                }
            }
            planned_pods_ = std::move(waiting);
        }
        if (planned_pods_.empty()) return {};
        const PlannedPod& first = planned_pods_.front();
        return context_.pending.pod_groups[first.pod_group].example + " does not run on node " +
               std::to_string(first.node) + ": " +
               scheduling::naive::why_not(naive_cluster_, pods_[first.pod_group], first.node)
                   .sentence;
    }

    /// The cluster with the nodes and pods that have been added.
    scheduling::naive::NaiveCluster& naive_cluster() { return naive_cluster_; }
    const scheduling::naive::Pod& pod(PodGroupIndex pod_group) const { return pods_[pod_group]; }

private:
    struct PlannedPod {
        std::size_t when = 0;
        PodGroupIndex pod_group = 0;
        std::size_t node = 0;
    };

    /// Adds new nodes to the naive cluster and lists the planned pods in the order of decisions.
    void lay_out(const scheduling::Placement& placement) {
        for (scheduling::Slot slot = 0; slot < placement.slot_count(); ++slot) {
            for (int n = 0; n < placement.nodes(slot); ++n) {
                std::size_t node = slot;
                if (const auto template_node = placement.template_node(slot)) {
                    node = scheduling::naive::add_node(
                        naive_cluster_, context_.snapshot->cluster,
                        context_.predicates->template_nodes()[*template_node]);
                    naive_cluster_.nodes[node].gone = true;
                }
                for (const scheduling::Assignment& assignment : placement.assignments(slot)) {
                    for (int i = 0; i < assignment.per_node; ++i)
                        planned_pods_.push_back({assignment.when, assignment.pod_group, node});
                }
            }
        }
        std::ranges::sort(planned_pods_, {}, [](const PlannedPod& p) {
            return std::tuple(p.when, p.node, p.pod_group);
        });
    }

    const pass_context::PassContext& context_;
    scheduling::naive::NaiveCluster naive_cluster_;
    std::vector<scheduling::naive::Pod> pods_{};  // by pod group
    std::vector<PlannedPod> planned_pods_{};
};

}  // namespace capstan::engine::scale_up
