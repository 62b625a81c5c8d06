#include "failed_activities.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "../wire/failure_text.hpp"
#include "launches.hpp"

namespace capstan::aws {
namespace {

/// AWS retries a launch within a minute or two. Reading the activities in each pass for longer than
/// this would show nothing new.
constexpr Duration frequent_reads_for = std::chrono::minutes(5);

Error error_of(const ScalingActivity& activity) {
    Error out = classify_failure_text(activity.status_code, activity.status_message);
    if (out.provider_code.empty()) out.provider_code = activity.status_code;
    return within("scaling activity " + activity.id, std::move(out));
}

}  // namespace

std::optional<Error> find_failed_launch(const std::vector<ScalingActivity>& activities, Time since,
                                        bool has_zones) {
    const auto counts = [&](const ScalingActivity& activity) {
        return activity.started && *activity.started > since && is_launch(activity) &&
               (has_zones || has_failed(activity));
    };
    const auto at = std::find_if(activities.begin(), activities.end(), counts);
    if (at == activities.end() || !has_failed(*at)) return std::nullopt;
    return error_of(*at);
}

FailedActivities::FailedActivities(const Host& host, AutoScalingApi& api, Config config,
                                   std::function<Time()> aws_now)
    : host_(host), api_(api), config_(config), aws_now_(std::move(aws_now)), warnings_(host) {}

Task<void> FailedActivities::update(std::vector<Size> groups) {
    drop_unlisted(groups);
    std::vector<Task<void>> reads;
    for (const Size& size : groups) {
        Followed& group =
            groups_.try_emplace(size.group, Followed{.since = aws_now_()}).first->second;
        if (size.members >= size.desired) {
            forget_failure(group);
            group.wants_since.reset();
            warnings_.end(size.group);
            continue;
        }
        if (!group.wants_since) group.wants_since = host_.monotonic();
        group.has_zones = size.has_zones;
        if ((!group.failure || group.has_zones) && is_due(group)) reads.push_back(read(size.group));
    }
    co_await gather_results(std::move(reads), config_.parallel_calls);
}

bool FailedActivities::is_due(const Followed& group) const {
    if (!group.read_at) return true;
    CAPSTAN_ASSERT(group.wants_since, "a group that wants no instances is read");
    const Duration now = host_.monotonic();
    return now - *group.wants_since < frequent_reads_for ||
           now - *group.read_at >= config_.refresh_every;
}

Task<void> FailedActivities::read(std::string group) {
    const Time since = groups_.at(group).since;
    groups_.at(group).read_at = host_.monotonic();
    const auto activities = co_await as_result(api_.describe_activities(group, since));
    const auto at = groups_.find(group);
    if (at == groups_.end()) co_return;
    if (!activities) {
        warnings_.set(group, "cannot detect failed launches of group " + in_quotes(group) + ": " +
                                 activities.error().message);
        co_return;
    }
    warnings_.end(group);
    // A request that began meanwhile has moved `since`: these activities may be too old for it.
    if (at->second.since != since) co_return;
    std::optional<Error> failure = find_failed_launch(*activities, since, at->second.has_zones);
    if (failure == at->second.failure) co_return;
    at->second.failure = std::move(failure);
    ++version_;
}

void FailedActivities::forget_failure(Followed& group) {
    if (group.failure) ++version_;
    group.failure.reset();
}

void FailedActivities::drop_unlisted(const std::vector<Size>& groups) {
    std::vector<std::string_view> names;
    for (const Size& size : groups) names.push_back(size.group);
    std::sort(names.begin(), names.end());
    std::erase_if(groups_, [&](const auto& entry) {
        return !std::binary_search(names.begin(), names.end(), entry.first);
    });
}

void FailedActivities::begin_request(const std::string& group) {
    Followed& followed = groups_[group];
    followed.since = aws_now_();
    forget_failure(followed);
    followed.wants_since = host_.monotonic();
}

void FailedActivities::end_request(const std::string& group) { groups_[group].since = aws_now_(); }

const Error* FailedActivities::find(const std::string& group) const {
    const auto at = groups_.find(group);
    if (at == groups_.end()) return nullptr;
    const std::optional<Error>& failure = at->second.failure;
    return failure ? &*failure : nullptr;
}

}  // namespace capstan::aws
