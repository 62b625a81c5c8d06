/// Asks clouds in a pass which group they would create for a plan, and keeps the answers for the
/// record of the pass.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/pass_clock.hpp"
#include "engine/policies.hpp"
#include "plugin_runtime/instances/cloud_client.hpp"
#include "plugin_runtime/instances/pass_watch.hpp"

namespace capstan::autoscaler {

/// A cloud's answer to a plan: a group, or an error.
struct PlannedGroupAnswer {
    PluginInstanceId cloud{};
    GroupPlan plan{};
    std::optional<engine::CandidateGroup> group{};
    std::optional<Error> error{};
};

/// Asks each cloud once about each plan. A plan with an answer in `known` is not asked again. A
/// price in another currency than the pass's is left out. Borrows its arguments. [pass thread]
class CloudGroupMaker final : public engine::GroupMaker {
public:
    CloudGroupMaker(
        const std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>& clouds,
        const std::vector<PlannedGroupAnswer>& known, plugin_runtime::instances::PassWatch& watch,
        PassCurrency& currency);

    Result<engine::CandidateGroup> new_group(const PluginInstanceId& cloud, const GroupPlan& plan,
                                             const engine::CallContext& call_context) override;
    /// The answers that the pass used, by cloud and name of the plan. Given as `known` to another
    /// pass, they replace the calls of clouds.
    std::vector<PlannedGroupAnswer> take_candidate_groups();

private:
    using Key = std::pair<std::string, std::string>;  ///< cloud, name of the plan
    Result<engine::CandidateGroup> ask(const PluginInstanceId& cloud, const GroupPlan& plan,
                                       const engine::CallContext& call_context) const;

    const std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>& clouds_;
    plugin_runtime::instances::PassWatch& watch_;
    PassCurrency& currency_;
    std::map<Key, PlannedGroupAnswer> known_;
    std::map<Key, PlannedGroupAnswer> used_;
};

}  // namespace capstan::autoscaler
