/// What groups are asked for: more, fewer, and the end of machines.
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

/// [strand] SetDesiredCapacity has no key against repetition and takes an absolute number: repeated
/// it does no harm, and decided on an old number it takes back what others asked for meanwhile. So
/// the group is read right before, and the number is set only if it is the one that was expected.
/// Changes of one group are made one after another.
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
    /// Down to the instances that are there, never below.
    Task<Resized> decrease_target(Resize request);
    /// Placeholders by one change of the desired capacity; instances side by side, each with a
    /// decrement.
    Task<Removed> remove(Removal request);

    /// Before an update of the lists: the moment to hand to `see`.
    std::uint64_t moment() noexcept { return answers_.moment(); }
    /// After it: what was answered counts until the lists show it.
    void see(std::uint64_t asked_at);

private:
    /// A group's size as AWS has it now, less what AWS agreed to remove and may still list.
    struct Current {
        AutoScalingGroup group{};
        int members = 0;
        int desired = 0;
    };
    Task<Current> read(NodeGroupId id);
    Semaphore& turn_of(const NodeGroupId& group);
    Task<Removed> remove_in_turn(Removal request);
    bool suits(const Resize& request, int listed) const;
    Result<void> check(const Resize& request, const Current& now) const;
    Task<Resized> set_target(Resize request, int goal);
    void note_removal(const NodeGroupId& group, int count, int desired);
    Result<void> check_minimum(const Removal& request, const ListedGroup& listed) const;
    bool may_lag(const NodeGroupId& group) const;
    bool is_going(const NodeGroupId& group, const std::string& instance_id) const;
    Task<std::vector<Error>> take_back(NodeGroupId group, std::vector<MachineId> placeholders);
    Task<void> terminate(NodeGroupId group, std::string instance_id);
    void forget_what_is_seen();
    bool is_awaited(const NodeGroupId& group, int listed) const;
    Task<std::vector<Error>> terminate_all(NodeGroupId group, std::vector<MachineId> machines);

    const Host host_;
    const Parts parts_;
    const std::size_t parallel_calls_;
    std::map<NodeGroupId, Semaphore> turns_{};
    TargetAnswers answers_{};
    /// Targets and removals that were agreed to last, by host.monotonic(), while lists may lag.
    std::map<NodeGroupId, Duration> answered_at_{}, removed_at_{};
    struct Going {
        Duration asked_at{};
        bool is_agreed = false;  ///< false: no answer came (yet)
    };
    /// Instances that AWS was asked to terminate and may still list as members.
    std::map<NodeGroupId, std::map<std::string, Going>> going_{};
};

}  // namespace capstan::aws
