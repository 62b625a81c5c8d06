/// Scaling activities that failed to launch instances after this process requested them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

/// [strand] Only failed launches that began after the group's last request count. Without a
/// request, those that began after this process first listed the group count. So a failure from
/// before a restart does not back a group off.
class FailedActivities {
public:
    struct Config {
        Duration refresh_every = std::chrono::minutes(1);
        std::size_t parallel_calls = 8;
    };
    /// `aws_now`: the time by AWS's clock, which dates the activities.
    FailedActivities(const Host& host, AutoScalingApi& api, Config config,
                     std::function<Time()> aws_now);

    /// The number of member instances and the desired capacity of a group.
    struct Size {
        std::string group{};
        int members = 0, desired = 0;
        bool has_zones = false;  ///< more than one: AWS launches where it can
    };
    /// `groups`: all groups that could be read. Reads the activities of each group that has fewer
    /// members than desired: in each pass for five minutes, then once in `refresh_every`. A known
    /// failure stays for a group in one zone; in several zones it ends when AWS launches an
    /// instance after it. Activities that cannot be read cause a warning and change nothing.
    Task<void> update(std::vector<Size> groups);
    /// Call before an increase. Failures of earlier requests no longer count.
    void begin_request(const std::string& group);
    /// Call before a decrease. AWS then cancels launches, and those cancellations are no failures.
    /// A failure that is known already stays.
    void end_request(const std::string& group);

    /// The last failed launch of the group, or NULL. The failure ends when the group has at least
    /// as many members as desired, or with the next `begin_request`.
    const Error* find(const std::string& group) const;
    /// Changes whenever `find` may give another failure.
    std::uint64_t version() const noexcept { return version_; }

private:
    struct Followed {
        Time since{};                           ///< only activities that began later count
        std::optional<Duration> wants_since{};  ///< when members first were fewer than desired
        std::optional<Duration> read_at{};      ///< when the activities were read last
        std::optional<Error> failure{};
        bool has_zones = false;
    };
    bool is_due(const Followed& group) const;
    void forget_failure(Followed& group);
    Task<void> read(std::string group);
    void drop_unlisted(const std::vector<Size>& groups);

    const Host host_;
    AutoScalingApi& api_;
    const Config config_;
    const std::function<Time()> aws_now_;
    StandingWarnings warnings_;
    std::map<std::string, Followed> groups_{};
    std::uint64_t version_ = 0;
};

/// The first failed launch among `activities` (newest first) that began after `since`; absent if
/// there is none. In a group of several zones, a failed launch counts only if no launch followed
/// it: AWS tries the other zones by itself.
std::optional<Error> find_failed_launch(const std::vector<ScalingActivity>& activities, Time since,
                                        bool has_zones);

}  // namespace capstan::aws
