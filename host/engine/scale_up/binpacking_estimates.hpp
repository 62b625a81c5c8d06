/// What so many new nodes of a shape would do for the pods that wait, worked out once for all
/// groups whose nodes no pod can tell apart, and again only when something has changed.
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
    std::vector<Demand> schedulable{};  ///< in the order they are packed
    PodShares shares{};                 ///< the same for plugins, by class
    Resources requested{};              ///< the sum over those pods
    std::uint32_t pods = 0;
};

/// Borrows the placement.
class BinpackingEstimates {
public:
    /// `places` by pod group: the number under which plugins know it.
    BinpackingEstimates(scheduling::Placement& placement, std::vector<std::uint32_t> places);

    /// `pods`: those to be placed from now on, by pod group.
    void begin_round(const std::vector<int>& pods);
    /// Works several out, and spares itself those between a smaller and a larger node that both
    /// come to the same: what fits on the smaller fits on theirs.
    void prepare(std::vector<scheduling::TemplateNodeId> shapes, int max_nodes);
    /// With at most `max_nodes` nodes. Never NULL.
    std::shared_ptr<const BinpackingEstimate> of(scheduling::TemplateNodeId shape, int max_nodes);

private:
    /// The pods that may go on nodes of a template, largest first, and what is known of them.
    struct CompatiblePods {
        SizeOrder pod_groups{};
        bool look_at_pods = false;  ///< one of them does
    };
    struct Kept {
        std::shared_ptr<const BinpackingEstimate> prospect{};
        int made_in = 0, used_in = 0;  // rounds
    };
    /// Those between the first and the last, both worked out.
    void prepare_between(std::span<const scheduling::TemplateNodeId> same_except_capacity,
                         int max_nodes);
    CompatiblePods& takers(scheduling::TemplateNodeId shape);
    bool is_current(const Kept& kept, const CompatiblePods& takers) const;
    BinpackingEstimate work_out(scheduling::TemplateNodeId shape, CompatiblePods& takers,
                                int max_nodes);
    void drop(const std::vector<scheduling::PodGroupIndex>& refused, CompatiblePods& takers) const;
    PodShares shares_of(const std::vector<Demand>& pods) const;
    Resources requested_by(const std::vector<Demand>& pods) const;

    scheduling::Placement* placement_;
    std::vector<std::uint32_t> places_;
    SizeOrders orders_;
    int round_ = 0;
    std::vector<int> pods_;        // by pod group
    std::vector<int> changed_in_;  // by pod group: the round
    std::map<scheduling::TemplateNodeId, CompatiblePods> takers_;
    std::map<std::pair<scheduling::TemplateNodeId, int>, Kept> kept_;  // by shape and most nodes
};

}  // namespace capstan::engine::scale_up
