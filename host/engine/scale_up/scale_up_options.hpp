/// The ways to grow that there are: one for each group that may grow and makes a pod schedulable.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/policies.hpp"
#include "engine/scale_up/binpacking_estimates.hpp"
#include "engine/scale_up/quota_tracker.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine::scale_up {

struct Option {
    pass_context::GroupIndex group = 0;
    int nodes = 0;  ///< of a group that is only ever empty or full all of its room
    std::shared_ptr<const BinpackingEstimate> prospect{};
    /// Similar groups that may grow and on which all of its pods run, ascending.
    std::vector<pass_context::GroupIndex> similar{};
};

/// Borrows its arguments.
class OptionMaker {
public:
    /// `places` by subject: the number under which plugins know it.
    OptionMaker(const pass_context::PassContext& context, SimilarSets& similar,
                scheduling::Placement& placement, std::vector<std::uint32_t> places)
        : context_(&context),
          similar_(&similar),
          placement_(&placement),
          prospects_(placement, std::move(places)) {}

    /// By group. An option goes no further than the limits and the maxima, its own and those of
    /// `similar`, let it. `pods` by subject: those that are still to be helped.
    std::vector<Option> make(const std::vector<int>& pods, const QuotaTracker& quotas,
                             const SpreadPlan& plan);

private:
    std::optional<Option> make_one(pass_context::GroupIndex group, const QuotaTracker& quotas,
                                   const SpreadPlan& plan);
    std::vector<pass_context::GroupIndex> sharing(const Option& option, const SpreadPlan& plan);
    /// Of any option.
    int max_nodes() const noexcept;
    int most_nodes(const Option& option, const QuotaTracker& quotas) const;

    const pass_context::PassContext* context_;
    SimilarSets* similar_;
    scheduling::Placement* placement_;
    BinpackingEstimates prospects_;
    std::vector<bool> open_;  // by group: it may grow
    /// Of this round: whether all pods of a prospect run on another shape.
    std::map<std::pair<const BinpackingEstimate*, scheduling::TemplateNodeId>, bool> run_on_;
};

}  // namespace capstan::engine::scale_up
