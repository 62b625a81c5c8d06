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

/// From when on activities are read before a change.
inline constexpr Duration activities_of_interest = std::chrono::minutes(10);

/// What AWS did lately, as it was read right before a change.
struct LatestActivities {
    std::vector<ScalingActivity> activities{};
    Time now{};  ///< by AWS's clock
};

/// Instances that AWS has launched, and does not list yet nor terminates.
int count_unlisted_launches(const LatestActivities& latest, const AutoScalingGroup& group);

/// Whether the list may lack an instance, as a sentence; empty: it may not. That is a launch in
/// progress, a launched instance that `group` does not list, or a launch that began after
/// `decided_on`, when the list was read that the request was decided on.
std::string why_launch_is_under_way(const LatestActivities& latest, const AutoScalingGroup& group,
                                    std::optional<Time> decided_on);

/// Whether AWS worked on the group in the last minute, as a sentence; empty: it did not.
std::string why_not_quiet(const LatestActivities& latest);

}  // namespace capstan::aws
