/// Changes of Auto Scaling groups: increases, decreases, and removals of instances.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/host.hpp>
#include <capstan/target_setter.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"
#include "failed_activities.hpp"
#include "group_limits.hpp"
#include "group_lists.hpp"
#include "launches.hpp"
#include "recent_changes.hpp"
#include "scale_in_protection.hpp"

namespace capstan::aws {

/// [strand] SetDesiredCapacity takes an absolute number. If it is below the number of instances,
/// AWS terminates some of its own choice. So the group is read right before each change, the number
/// is set once (TargetSetter), and it is lowered only if AWS cannot have launched an instance that
/// the number leaves out. Changes of one group are serialized.
class GroupChanges {
public:
    struct Parts {
        AutoScalingApi& api;
        GroupLists& lists;
        FailedActivities& activities;
        const StaticLimits& limits;
        std::function<Time()> aws_now;  ///< the time by AWS's clock, which dates activities
    };
    GroupChanges(const Host& host, Parts parts, std::size_t parallel_calls);

    Task<Resized> increase(Resize request);
    /// Takes requests back that AWS has not fulfilled. `conflict`: a launch may be under way, or
    /// the list is older than an answer; the README has the rules.
    Task<Resized> decrease_target(Resize request);
    /// Takes placeholders back by one change of the desired capacity, as decrease_target does.
    /// Terminates instances in parallel, each by one call that also lowers the desired capacity by
    /// one, unless the target stays: then AWS launches a replacement.
    Task<Removed> remove(Removal request);

    /// Call before an update of the lists, and pass the result to `observe` after the update.
    Time moment() const { return parts_.aws_now(); }
    /// Call after an update of the lists. Groups with a change of the last two minutes are read
    /// again by the next update.
    void observe(Time listed_at);
    /// Ends scale-in protection that `decrease_target` has set, where AWS has nothing left to
    /// terminate. Call after `observe`.
    Task<void> end_protection();

private:
    /// A group in the view that the host decides on.
    struct Viewed {
        int members = 0, desired = 0;
        Time listed_at{};
    };
    /// A group as it is right before a change.
    struct Reading {
        AutoScalingGroup group{};
        Result<LatestActivities> latest{};
    };
    struct Placeholder {
        MachineId machine{};
        int ordinal = 0;
    };
    Task<Reading> read(NodeGroupId id);
    int count_machines(const Reading& reading) const;
    Task<TargetSetter::Current> read_current(NodeGroupId id, Reading& out);
    Task<Resized> raise(NodeGroupId id, int target);
    Task<Resized> lower(NodeGroupId id, int target, const Reading& before);
    Result<void> check_reading(const Reading& reading, bool is_safe) const;
    bool is_protected(const AutoScalingGroup& group) const;
    Task<bool> protect(const AutoScalingGroup& group);
    Task<Resized> set_target(NodeGroupId id, int target);

    Result<void> check_minimum(const Removal& request, const AutoScalingGroup& group) const;
    Task<std::vector<Error>> take_back(NodeGroupId group, std::vector<Placeholder> placeholders);
    Task<std::vector<Error>> terminate_all(Removal request);
    std::optional<Error> why_not_terminated(const NodeGroupId& group, const std::string& id,
                                            const AsgInstance* instance) const;
    Task<void> terminate(NodeGroupId group, std::string instance_id, bool decrement);

    const Host host_;
    const Parts parts_;
    const std::size_t parallel_calls_;
    TargetSetter targets_;
    RecentChanges recent_;
    ScaleInProtection protection_;
    std::map<NodeGroupId, Viewed> viewed_{};
};

}  // namespace capstan::aws
