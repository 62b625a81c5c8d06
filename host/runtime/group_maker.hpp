/// What clouds would make of plans, asked in a pass and remembered for its record.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/policies.hpp"
#include "runtime/instances/cloud_client.hpp"
#include "runtime/instances/pass_watch.hpp"
#include "runtime/pass_clock.hpp"

namespace capstan::runtime {

/// What a cloud said to a plan: a group, or an error.
struct PlannedGroupAnswer {
    PluginInstanceId cloud{};
    GroupPlan plan{};
    std::optional<engine::CandidateGroup> group{};
    std::optional<Error> error{};
};

/// Asks each cloud once about each plan, and about what is `told` already no cloud. A price in
/// another currency than the pass's is left out. Borrows its arguments. [pass thread]
class CloudGroupMaker final : public engine::GroupMaker {
public:
    CloudGroupMaker(const std::vector<std::shared_ptr<instances::PluginInstance>>& clouds,
                    const std::vector<PlannedGroupAnswer>& told, instances::PassWatch& watch,
                    PassCurrency& currency);

    Result<engine::CandidateGroup> new_group(const PluginInstanceId& cloud, const GroupPlan& plan,
                                             const engine::CallContext& call_context) override;
    /// All that was asked for, by cloud and name of the plan: `told` of a pass that asks no cloud.
    std::vector<PlannedGroupAnswer> take_candidate_groups();

private:
    using Key = std::pair<std::string, std::string>;  ///< cloud, name of the plan
    Result<engine::CandidateGroup> ask(const PluginInstanceId& cloud, const GroupPlan& plan,
                                       const engine::CallContext& call_context) const;

    const std::vector<std::shared_ptr<instances::PluginInstance>>& clouds_;
    instances::PassWatch& watch_;
    PassCurrency& currency_;
    std::map<Key, PlannedGroupAnswer> told_;
    std::map<Key, PlannedGroupAnswer> used_;
};

}  // namespace capstan::runtime
