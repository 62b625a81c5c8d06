/// Why a pod of a node that could go finds no other place, told as kube-scheduler does.
///
/// Every other node has a reason, and the sentence counts them: "0/4 nodes: 3 Insufficient cpu, 1
/// ...". Asking all nodes for each of many pods would be quadratic, so equivalent pods share their
/// answers.
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

/// Looks at all other nodes as the placement stands. What is the same for pods of a like is found
/// out once, and after many nodes were looked at one of them stands for all. Borrows its arguments.
class NoPlace {
public:
    /// `goes`: by node, whether the plan lets it go.
    NoPlace(const pass_context::PassContext& context, const scheduling::Placement& placement,
            std::vector<bool> goes);

    /// "pod web/a-1 (cpu 2, memory 4Gi) finds no other place, 0/4 nodes: 3 Insufficient cpu, 1 is
    /// to go as well; nearest is n2: Insufficient cpu: needs 2, 500m of 4 are free"
    std::string explain(snapshot::PodIndex pod, scheduling::PodGroupIndex pod_group,
                        snapshot::NodeIndex its_node);

private:
    struct Near {
        snapshot::NodeIndex node = snapshot::no_node;
        scheduling::Predicate predicate = scheduling::Predicate::none;
        std::int64_t cpu = 0;  ///< free there
    };
    struct Found {
        std::map<std::string, int> nodes_by_refusal{};
        std::array<Near, 2> nearest{};  ///< one of them may be the pod's own
    };
    /// A pod and how it looks for a place.
    struct PlaceSearch {
        snapshot::PodIndex pod = 0;
        scheduling::PodGroupIndex pod_group = 0;
        snapshot::NodeIndex its_node = snapshot::no_node;
        std::optional<snapshot::Symbol> zone{};  ///< that it may not leave
    };
    Found look(const PlaceSearch& seeker) const;
    /// What keeps the pod off the node; predicate `none`: not that it would not run there.
    scheduling::Refusal refusal(const PlaceSearch& seeker, snapshot::NodeIndex node,
                                scheduling::Wording wording) const;
    std::string describe(const PlaceSearch& seeker) const;
    std::string sum_up(const PlaceSearch& seeker, Found found) const;
    /// Of the first nodes that stay, one that refuses: where there is no time to look at all.
    std::string example(const PlaceSearch& seeker) const;

    const pass_context::PassContext* context_;
    const scheduling::Placement* placement_;
    std::vector<bool> goes_;
    std::vector<scheduling::PodGroupIndex> equivalent_pods_;
    std::map<scheduling::PodGroupIndex, Found>
        known_{};  // by equivalent pod group, of pods without inter-pod constraints
    std::size_t looked_at_ = 0;
};

}  // namespace capstan::engine::scale_down
