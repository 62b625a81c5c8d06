#include "launches.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/duration.hpp>

#include "lifecycle.hpp"

namespace capstan::aws {
namespace {

constexpr std::string_view launching_text = "Launching a new EC2 instance";
constexpr std::string_view terminating_text = "Terminating EC2 instance: ";

std::string age_of(Time at, Time now) {
    const auto age = std::chrono::floor<std::chrono::seconds>(now - at);
    return format_duration(std::max<Duration>(age, Duration::zero()));
}

/// When a launch of the last two minutes that did not fail began; absent: it is no such launch.
std::optional<Time> recent_launch_start(const ScalingActivity& activity, Time now) {
    if (!is_launch(activity) || has_failed(activity)) return std::nullopt;
    const bool is_recent = activity.started && *activity.started > now - launch_time;
    return is_recent ? activity.started : std::nullopt;
}

/// Whether the list lacks an instance that was launched. One that was terminated since is no
/// longer listed.
bool is_unlisted(std::string_view id, const LatestActivities& latest,
                 const AutoScalingGroup& group) {
    const auto ends_it = [&](const ScalingActivity& each) {
        return each.description.starts_with(terminating_text) && each.description.ends_with(id);
    };
    return find_instance(group, id) == nullptr &&
           std::none_of(latest.activities.begin(), latest.activities.end(), ends_it);
}

}  // namespace

bool is_launch(const ScalingActivity& activity) noexcept {
    return activity.description.starts_with(launching_text);
}

bool has_failed(const ScalingActivity& activity) noexcept {
    return activity.status_code == "Failed" || activity.status_code == "Cancelled";
}

bool has_succeeded(const ScalingActivity& activity) noexcept {
    return activity.status_code == "Successful";
}

std::string_view launched_instance(const ScalingActivity& launch) noexcept {
    std::string_view rest = launch.description;
    rest.remove_prefix(std::min(rest.size(), launching_text.size()));
    if (!rest.starts_with(": i-")) return {};
    rest.remove_prefix(2);
    return rest.substr(0, rest.find_first_of(" .,"));
}

int count_unlisted_launches(const LatestActivities& latest, const AutoScalingGroup& group) {
    const auto counts = [&](const ScalingActivity& each) {
        const std::string_view id = launched_instance(each);
        return recent_launch_start(each, latest.now) && !id.empty() &&
               is_unlisted(id, latest, group);
    };
    return static_cast<int>(
        std::count_if(latest.activities.begin(), latest.activities.end(), counts));
}

std::string why_launch_is_under_way(const LatestActivities& latest, const AutoScalingGroup& group,
                                    std::optional<Time> decided_on) {
    for (const ScalingActivity& each : latest.activities) {
        const std::optional<Time> began = recent_launch_start(each, latest.now);
        if (!began) continue;
        const std::string age = age_of(*began, latest.now) + " ago";
        if (!has_succeeded(each)) return "AWS started to launch an instance " + age;
        if (is_unlisted(launched_instance(each), latest, group))
            return "AWS launched an instance " + age + " that it does not list yet";
        if (decided_on && *began > *decided_on)
            return "AWS launched an instance " + age + ", after the request was decided";
    }
    return {};
}

std::string why_not_quiet(const LatestActivities& latest) {
    for (const ScalingActivity& each : latest.activities) {
        if (!each.started) continue;
        const Time last = std::max(*each.started, each.ended.value_or(*each.started));
        if (last <= latest.now - quiet_time) continue;
        return "the last scaling activity was " + age_of(last, latest.now) +
               " ago and instances are not protected from scale-in; waiting for " +
               format_duration(quiet_time) + " without activity";
    }
    return {};
}

}  // namespace capstan::aws
