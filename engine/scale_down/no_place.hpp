/// Explains why a pod of a scale-down candidate finds no other place, in kube-scheduler's words.
///
/// Every other node has a reason, and the sentence counts the reasons: "0/4 nodes are available: 3
/// Insufficient cpu, 1 ...". Checking all nodes for each of many pods would be quadratic, so
/// equivalent pods share their answers.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_down {

/// Checks all other nodes in the current state of the placement. Equivalent pods without inter-pod
/// constraints share one check. After very many nodes were checked, further answers name one node
/// as an example instead of counts. Borrows its arguments.
class NoPlace {
public:
    /// `goes`: by node, whether the plan removes it.
    NoPlace(const pass_context::PassContext& context, const scheduling::Placement& placement,
            std::vector<bool> goes);

    /// "pod web/a-1 (cpu 2, memory 4Gi) fits on no other node: 0/4 nodes are available: 3
    /// Insufficient cpu, 1 also to be removed; closest fit is n2: Insufficient cpu: needs 2, 500m
    /// of 4 are free"
    std::string explain(PodIndex pod, PodGroupIndex pod_group, NodeIndex its_node);

private:
    /// A node that refuses the pod. The later the predicate that fails and the more free cpu, the
    /// nearer the node is to taking the pod.
    struct Near {
        NodeIndex node = snapshot::no_node;
        scheduling::Predicate predicate = scheduling::Predicate::none;
        std::int64_t cpu = 0;  ///< free on the node
    };
    struct Found {
        std::map<std::string, int> nodes_by_refusal{};
        std::array<Near, 2> nearest{};  ///< two, as one of them may be the pod's own node
    };
    /// A pod and where it may go.
    struct PlaceSearch {
        PodIndex pod = 0;
        PodGroupIndex pod_group = 0;
        NodeIndex its_node = snapshot::no_node;
        std::optional<snapshot::Symbol> zone{};  ///< the zone in which it has to stay; absent: any
    };
    Found look(const PlaceSearch& search) const;
    /// Why the node does not take the pod; predicate `none`: for a reason other than the
    /// scheduler's predicates.
    scheduling::Refusal refusal(const PlaceSearch& search, NodeIndex node,
                                scheduling::Wording wording) const;
    std::string describe(const PlaceSearch& search) const;
    std::string sum_up(const PlaceSearch& search, Found found) const;
    /// One of the first nodes that refuses the pod, used when too many nodes were checked already.
    std::string example(const PlaceSearch& search) const;

    const pass_context::PassContext* context_;
    const scheduling::Placement* placement_;
    std::vector<bool> goes_;
    std::vector<PodGroupIndex> equivalent_pods_;
    std::map<PodGroupIndex, Found>
        known_{};  // by equivalent pod group, of pods without inter-pod constraints
    std::size_t looked_at_ = 0;
};

}  // namespace capstan::engine::scale_down
