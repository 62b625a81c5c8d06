/// Changes of this process that AWS's lists may not show yet.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

/// How long AWS's lists may take to show a change.
inline constexpr Duration list_lag_max = std::chrono::minutes(2);

/// [strand] The host remembers which targets and removals AWS has accepted. This class only tells
/// whether a list is older than an answer of AWS, and which instances were terminated already.
class RecentChanges {
public:
    explicit RecentChanges(const Host& host) : host_(host) {}

    /// Call before a desired capacity is set, and after AWS has refused it.
    void expect_target(const NodeGroupId& group, int target);
    void forget_target(const NodeGroupId& group);

    /// Call before an instance is terminated, after AWS has agreed, and after AWS has refused.
    void begin_termination(const NodeGroupId& group, const std::string& instance_id);
    void agree_to_termination(const NodeGroupId& group, const std::string& instance_id,
                              bool lowers_target);
    void forget_termination(const NodeGroupId& group, const std::string& instance_id);
    /// Whether AWS has agreed to terminate the instance.
    bool is_terminating(const NodeGroupId& group, const std::string& instance_id) const;
    /// Whether AWS was asked to terminate the instance, and did not answer.
    bool is_unanswered(const NodeGroupId& group, const std::string& instance_id) const;

    struct Counts {
        int members = 0;
        int target = 0;            ///< the number of members that AWS brings the group to
        int surplus = 0;           ///< how many of `target` are above the desired capacity
        bool is_outdated = false;  ///< the list does not show a change of the last two minutes
    };
    /// Counts of a group as AWS lists it, without instances that AWS has agreed to terminate.
    Counts count(const AutoScalingGroup& group) const;

    /// Call with each group that was read since the last call.
    void observe(const AutoScalingGroup& group);
    /// Forgets changes that each list must show by now.
    void forget_old();
    /// Whether the group was changed less than two minutes ago.
    bool is_recent(const NodeGroupId& group) const;

private:
    struct Target {
        int value = 0;
        Duration set_at{};
        bool was_listed = false;
    };
    struct Termination {
        Duration asked_at{};
        bool is_agreed = false, lowers_target = false;
    };
    bool is_past(Duration at) const { return host_.monotonic() - at >= list_lag_max; }
    const Termination* find(const NodeGroupId& group, const std::string& instance_id) const;

    const Host host_;
    std::map<NodeGroupId, Target> targets_{};
    std::map<NodeGroupId, std::map<std::string, Termination>> terminations_{};
};

}  // namespace capstan::aws
