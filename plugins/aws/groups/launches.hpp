/// What the scaling activities of a group say of launches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

bool is_launch(const ScalingActivity& activity) noexcept;
bool has_failed(const ScalingActivity& activity) noexcept;
bool has_succeeded(const ScalingActivity& activity) noexcept;
/// "i-1" of "Launching a new EC2 instance: i-1"; empty: AWS does not name it yet.
std::string_view launched_instance(const ScalingActivity& launch) noexcept;

/// For how long a launch counts as under way.
inline constexpr Duration launch_time = std::chrono::minutes(2);
/// How long a group without protected instances is left alone before its desired capacity is
/// lowered.
inline constexpr Duration quiet_time = std::chrono::minutes(1);

/// How far back activities are read before a change.
inline constexpr Duration activities_of_interest = std::chrono::minutes(10);

/// What AWS did lately, as it was read right before a change.
struct LatestActivities {
    std::vector<ScalingActivity> activities{};
    Time now{};  ///< by AWS's clock
};

/// The number of instances that AWS has launched, does not list yet, and is not terminating.
int count_unlisted_launches(const LatestActivities& latest, const AutoScalingGroup& group);

/// Why the list may lack an instance, as a sentence; empty: nothing suggests that. The reasons are
/// a launch in progress, a launched instance that `group` does not list, and a launch that began
/// after `decided_on`, the time of the list on which the request was decided.
std::string why_launch_is_under_way(const LatestActivities& latest, const AutoScalingGroup& group,
                                    std::optional<Time> decided_on);

/// Why AWS may still be working on the group, as a sentence: the last activity was less than a
/// minute ago. Empty: it was not.
std::string why_not_quiet(const LatestActivities& latest);

}  // namespace capstan::aws
