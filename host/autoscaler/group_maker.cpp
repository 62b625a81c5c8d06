#include "autoscaler/group_maker.hpp"

#include <algorithm>

#include "autoscaler/policies/pass_call.hpp"

namespace capstan::autoscaler {
namespace {

Result<engine::CandidateGroup> answer_of(const PlannedGroupAnswer& candidate_group) {
    if (candidate_group.group) return *candidate_group.group;
    return fail(candidate_group.error.value_or(Error{ErrorCode::internal, "unknown group"}));
}

}  // namespace

CloudGroupMaker::CloudGroupMaker(
    const std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>& clouds,
    const std::vector<PlannedGroupAnswer>& known, plugin_runtime::instances::PassWatch& watch,
    PassCurrency& currency)
    : clouds_(clouds), watch_(watch), currency_(currency) {
    for (const PlannedGroupAnswer& candidate_group : known)
        known_.emplace(Key(candidate_group.cloud.value(), candidate_group.plan.name),
                       candidate_group);
}

Result<engine::CandidateGroup> CloudGroupMaker::new_group(const PluginInstanceId& cloud,
                                                          const GroupPlan& plan,
                                                          const engine::CallContext& call_context) {
    const Key key(cloud.value(), plan.name);
    const auto used = used_.find(key);
    if (used != used_.end() && used->second.plan == plan) return answer_of(used->second);
    const auto known = known_.find(key);
    PlannedGroupAnswer candidate_group{.cloud = cloud, .plan = plan};
    if (known != known_.end() && known->second.plan == plan) {
        candidate_group = known->second;
    } else if (auto group = ask(cloud, plan, call_context)) {
        candidate_group.group = *std::move(group);
    } else {
        candidate_group.error = std::move(group).error();
    }
    return answer_of(used_.insert_or_assign(key, std::move(candidate_group)).first->second);
}

std::vector<PlannedGroupAnswer> CloudGroupMaker::take_candidate_groups() {
    std::vector<PlannedGroupAnswer> out;
    out.reserve(used_.size());
    for (auto& [key, candidate_group] : used_) out.push_back(std::move(candidate_group));
    used_.clear();
    return out;
}

Result<engine::CandidateGroup> CloudGroupMaker::ask(const PluginInstanceId& cloud,
                                                    const GroupPlan& plan,
                                                    const engine::CallContext& call_context) const {
    const auto instance =
        std::ranges::find(clouds_, cloud.value(), [](const auto& each) { return each->id(); });
    if (instance == clouds_.end())
        return fail(ErrorCode::unsupported, "no cloud " + cloud.value() + " is running");
    const plugin_runtime::instances::PassCall pass_call = policies::call_of(call_context);
    CAPSTAN_TRY(PlannedGroup planned,
                plugin_runtime::instances::ask_new_group(*instance, plan, pass_call, watch_));
    const auto comparable = [this](const Price& price) {
        return currency_.takes(price.currency) ? price.per_hour : std::nullopt;
    };
    engine::CandidateGroup out{.planned = std::move(planned)};
    const NodeGroup& group = out.planned.group;
    if (group.options) {
        out.options = *group.options;
    } else if (auto options =
                   plugin_runtime::instances::ask_options(*instance, group, pass_call, watch_)) {
        out.options = *std::move(options);
    }
    if (group.price) {
        out.price_per_hour = comparable(*group.price);
    } else if (const auto price = plugin_runtime::instances::ask_price(
                   *instance, group, out.planned.node, pass_call, watch_)) {
        out.price_per_hour = comparable(*price);
    }
    return out;
}

}  // namespace capstan::autoscaler
