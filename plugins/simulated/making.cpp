// How the cloud makes groups and deletes them.
#include <algorithm>

#include <capstan/sentence.hpp>

#include "made_groups.hpp"
#include "simulated.hpp"

namespace capstan::simulated {

Task<MachineTypes> Simulated::machine_types() {
    co_await await_latency();
    co_return machine_types_of(config_);
}

Result<PlannedGroup> Simulated::new_group(const Call&, const GroupPlan& plan) const {
    CAPSTAN_TRY(const GroupConfig config, make_group(config_, plan));
    return PlannedGroup{Group(config, start_, start_).group(), config.node};
}

Task<void> Simulated::create(GroupPlan plan) {
    co_await await_latency();
    const auto there = made_plans_.find(plan.name);
    if (there != made_plans_.end() && there->second == plan) co_return;
    if (groups_.contains(plan.name))
        throw Failure(ErrorCode::conflict,
                      "another group exists with the name " + in_quotes(plan.name));
    const MachineTypeConfig* const type = find_machine_type(plan.machine_type);
    if (type != nullptr && type->creation_failure) throw Failure(*type->creation_failure);
    Result<GroupConfig> config = make_group(config_, plan);
    if (!config) throw Failure(std::move(config).error());
    groups_.emplace(plan.name, Group(*std::move(config), start_, now()));
    begin_histories();
    made_plans_.emplace(plan.name, plan);
    if (config_.register_nodes) save_state();
    co_await await_answer();
}

Task<void> Simulated::destroy(NodeGroupId id) {
    co_await await_latency();
    const Group& doomed = group(id);
    const auto plan = made_plans_.find(id.value());
    if (plan == made_plans_.end())
        throw Failure(ErrorCode::permission, "group " + in_quotes(id.value()) +
                                                 " was not created by node auto-provisioning");
    const std::size_t machines = doomed.machine_count();
    if (machines > 0) {
        throw Failure(ErrorCode::conflict,
                      "group " + in_quotes(id.value()) + " still has " +
                          counted(static_cast<std::int64_t>(machines), "machine"));
    }
    const MachineTypeConfig* const type = find_machine_type(plan->second.machine_type);
    if (type != nullptr && type->deletion_failure) throw Failure(*type->deletion_failure);
    groups_.erase(id.value());
    begin_histories();
    made_plans_.erase(plan);
    if (config_.register_nodes) save_state();
    co_await await_answer();
}

const MachineTypeConfig* Simulated::find_machine_type(std::string_view name) const {
    const auto at = std::ranges::find(config_.machine_types, name, &MachineTypeConfig::name);
    return at == config_.machine_types.end() ? nullptr : &*at;
}

/// The groups of the settings and the groups that were made. A made group keeps its settings if its
/// machine type is no longer configured.
std::vector<GroupConfig> Simulated::all_groups(const Config& config) const {
    std::vector<GroupConfig> out = config.groups;
    for (const auto& [name, plan] : made_plans_) {
        const bool is_taken = std::ranges::any_of(
            config.groups, [&](const GroupConfig& group) { return group.id.value() == name; });
        if (is_taken) continue;
        Result<GroupConfig> group = make_group(config, plan);
        const auto known = groups_.find(name);
        if (group) {
            out.push_back(*std::move(group));
        } else if (known != groups_.end()) {
            out.push_back(known->second.config());
        }
    }
    return out;
}

}  // namespace capstan::simulated
