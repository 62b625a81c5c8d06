/// The scale-up options: one for each group that may grow and has a pending pod for its new nodes.
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
    GroupIndex group = 0;
    int nodes = 0;  ///< a group that is only ever empty or full grows up to its maximum
    std::shared_ptr<const BinpackingEstimate> estimate{};
    /// Similar groups that may grow and on which all pods of the option run, ascending.
    std::vector<GroupIndex> similar{};
    /// By group: the nodes that similar groups will get for pods that the option does not place.
    std::map<GroupIndex, int> promised{};
};

/// Borrows its arguments.
class OptionMaker {
public:
    /// `pod_indices` by pod group: its index in ScaleUpQuestion::pods.
    OptionMaker(const pass_context::PassContext& context, SimilarSets& similar,
                scheduling::Placement& placement, std::vector<std::uint32_t> pod_indices)
        : context_(&context),
          similar_(&similar),
          placement_(&placement),
          estimates_(placement, std::move(pod_indices)) {}

    /// The options, by group. The size of an option is bounded by the cluster's limits and by the
    /// maxima of its group and its similar groups together. `pods` by pod group: the pending pods.
    std::vector<Option> make(const std::vector<int>& pods, const QuotaTracker& quotas,
                             const SpreadPlan& plan);

private:
    std::optional<Option> make_one(GroupIndex group, const QuotaTracker& quotas,
                                   const SpreadPlan& plan);
    std::vector<GroupIndex> sharing(const Option& option, const SpreadPlan& plan);
    /// The bound of any option, by the settings.
    int max_nodes() const noexcept;
    /// The bound of this option, by maxima and limits.
    int most_nodes(const Option& option, const QuotaTracker& quotas) const;

    const pass_context::PassContext* context_;
    SimilarSets* similar_;
    scheduling::Placement* placement_;
    BinpackingEstimates estimates_;
    /// The result of `sharing` for an option whose pods have no inter-pod constraints: it stays the
    /// same until the estimate or the open groups change.
    struct KnownSharing {
        std::shared_ptr<const BinpackingEstimate> estimate{};
        std::uint64_t open_version = 0;
        std::vector<GroupIndex> groups{};
    };
    std::vector<bool> open_;                     // by group: it may grow
    std::uint64_t open_version_ = 0;             // rises when open_ changes
    std::vector<KnownSharing> known_sharing_{};  // by group
    /// In this round: whether all pods of an estimate run on nodes of another template.
    std::map<std::pair<const BinpackingEstimate*, TemplateNodeId>, bool> run_on_;
};

}  // namespace capstan::engine::scale_up
