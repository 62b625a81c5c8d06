/// Changes of Auto Scaling groups: increases, decreases, and removals of instances.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/host.hpp>
#include <capstan/semaphore.hpp>
#include <capstan/target_answers.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"
#include "failed_activities.hpp"
#include "group_limits.hpp"
#include "group_lists.hpp"

namespace capstan::aws {

/// [strand] SetDesiredCapacity takes an absolute number and no idempotency key. Repeating it is
/// harmless, but a number computed from an outdated desired capacity undoes what other clients have
/// requested meanwhile. So the group is read right before each change, and the desired capacity is
/// set only if it is the one that the request expects. Changes of one group are serialized.
class GroupChanges {
public:
    struct Parts {
        AutoScalingApi& api;
        GroupLists& lists;
        FailedActivities& activities;
        const StaticLimits& limits;
    };
    GroupChanges(const Host& host, Parts parts, std::size_t parallel_calls);

    Task<Resized> increase(Resize request);
    /// Never lowers the desired capacity below the number of member instances.
    Task<Resized> decrease_target(Resize request);
    /// Removes placeholders by one change of the desired capacity. Terminates instances in
    /// parallel, each by one call that also lowers the desired capacity by one.
    Task<Removed> remove(Removal request);

    /// Call before an update of the lists, and pass the result to `see` after the update.
    std::uint64_t moment() noexcept { return answers_.moment(); }
    /// Call after an update of the lists. Accepted changes that the lists now show, or should show
    /// by now, are forgotten; until then the accepted numbers count in place of the listed ones.
    void see(std::uint64_t asked_at);

private:
    /// A group as AWS lists it now. Instances that AWS agreed to terminate and still lists are
    /// subtracted from `members` and `desired`.
    struct Current {
        AutoScalingGroup group{};
        int members = 0;
        int desired = 0;
    };
    Task<Current> read(NodeGroupId id);
    Semaphore& lock_of(const NodeGroupId& group);
    Task<Removed> remove_locked(Removal request);
    bool suits(const Resize& request, int listed) const;
    Result<void> check(const Resize& request, const Current& now) const;
    Task<Resized> set_target(Resize request, int goal);
    void note_removal(const NodeGroupId& group, int count, int desired);
    Result<void> check_minimum(const Removal& request, const ListedGroup& listed) const;
    bool may_lag(const NodeGroupId& group) const;
    bool is_terminating(const NodeGroupId& group, const std::string& instance_id) const;
    Task<std::vector<Error>> take_back(NodeGroupId group, std::vector<MachineId> placeholders);
    Task<void> terminate(NodeGroupId group, std::string instance_id);
    void forget_listed_changes();
    bool is_awaited(const NodeGroupId& group, int listed) const;
    Task<std::vector<Error>> terminate_all(NodeGroupId group, std::vector<MachineId> machines);

    const Host host_;
    const Parts parts_;
    const std::size_t parallel_calls_;
    std::map<NodeGroupId, Semaphore> locks_{};  ///< one permit each
    TargetAnswers answers_{};
    /// When AWS last accepted a desired capacity and a removal, by host.monotonic(). Entries are
    /// dropped once lists can no longer lag behind them.
    std::map<NodeGroupId, Duration> answered_at_{}, removed_at_{};
    struct Termination {
        Duration asked_at{};
        bool is_agreed = false;  ///< false: AWS has not answered
    };
    /// Instances that AWS was asked to terminate and may still list as members.
    std::map<NodeGroupId, std::map<std::string, Termination>> terminating_{};
};

}  // namespace capstan::aws
