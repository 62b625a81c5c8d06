/// Bin packing estimates: which pending pods new nodes of a template would take, and how many nodes
/// that needs.
///
/// Packing is the most expensive part of a pass, and a cluster may have a thousand groups. So node
/// templates that no pod can tell apart share one estimate. An estimate is kept from round to round
/// and computed again only if the pods that it depends on have changed, or some of them have
/// inter-pod constraints.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <capstan/scale_up_option.hpp>

#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/progress.hpp"

namespace capstan::engine::scale_up {

struct BinpackingEstimate {
    int nodes = 0;
    std::vector<Demand> schedulable{};  ///< in the order in which they are packed
    PodShares shares{};                 ///< the same, as plugins see it
    Resources requested{};              ///< the sum over these pods
    std::uint32_t pods = 0;             ///< their number
};

/// Borrows the placement.
class BinpackingEstimates {
public:
    /// `pod_indices` by pod group: its index in ScaleUpQuestion::pods.
    BinpackingEstimates(scheduling::Placement& placement, std::vector<std::uint32_t> pod_indices);

    /// `pods` by pod group: the pods that are pending in this round.
    void begin_round(const std::vector<int>& pods);
    /// Computes the estimates of several templates. Of templates that differ in capacity alone,
    /// those between a smaller and a larger one with equal estimates share that estimate: what fits
    /// on the smaller fits on them.
    void prepare(std::vector<TemplateNodeId> template_nodes, int max_nodes);
    /// The estimate with at most `max_nodes` nodes. Never NULL.
    std::shared_ptr<const BinpackingEstimate> of(TemplateNodeId template_node, int max_nodes);

private:
    /// The pods that may run on nodes of a template.
    struct CompatiblePods {
        SizeOrder pod_groups{};                  ///< largest first
        bool has_inter_pod_constraints = false;  ///< at least one of them has
    };
    struct CachedEstimate {
        std::shared_ptr<const BinpackingEstimate> estimate{};
        int made_in = 0, used_in = 0;  // rounds
    };
    /// Computes the estimates between the first and the last template, which are cached already.
    void prepare_between(std::span<const TemplateNodeId> same_except_capacity, int max_nodes);
    CompatiblePods& compatible_pods(TemplateNodeId template_node);
    bool is_current(const CachedEstimate& cached, const CompatiblePods& pods) const;
    BinpackingEstimate work_out(TemplateNodeId template_node, CompatiblePods& pods, int max_nodes);
    void drop(const std::vector<PodGroupIndex>& refused, CompatiblePods& pods) const;
    PodShares shares_of(const std::vector<Demand>& pods) const;
    Resources requested_by(const std::vector<Demand>& pods) const;

    scheduling::Placement* placement_;
    std::vector<std::uint32_t> pod_indices_;
    SizeOrders orders_;
    int round_ = 0;
    std::vector<int> pods_;        // by pod group
    std::vector<int> changed_in_;  // by pod group: the last round in which its pods changed
    std::map<TemplateNodeId, CompatiblePods> compatible_pods_;
    // By template and maximum of nodes.
    std::map<std::pair<TemplateNodeId, int>, CachedEstimate> cache_;
};

}  // namespace capstan::engine::scale_up
