/// Scaling activities that failed after this process asked for machines.
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

/// [strand] A group's launches that failed are those that began after its last request, or, without
/// one, after it was seen first: none from before a start is held against it.
class FailedActivities {
public:
    struct Config {
        Duration refresh_every = std::chrono::minutes(1);
        std::size_t parallel_calls = 8;
    };
    /// `aws_now`: what AWS's clock shows, in which activities are dated.
    FailedActivities(const Host& host, AutoScalingApi& api, Config config,
                     std::function<Time()> aws_now);

    /// How many instances a group has and wants.
    struct Size {
        std::string group{};
        int members = 0, desired = 0;
    };
    /// Of all groups that could be read. Reads the activities of those that want more than they
    /// have and have not failed yet: in each pass for five minutes, then once in `refresh_every`.
    /// What cannot be read is no news.
    Task<void> update(std::vector<Size> groups);
    /// Before machines are asked for: what failed earlier was another request.
    void begin_request(const std::string& group);
    /// Before fewer machines are asked for: AWS cancels launches that are not wanted any more,
    /// which is no failure. One that stands goes on standing.
    void end_request(const std::string& group);

    /// The failure that stands: until the group has what it wants, or wants no more than it has, or
    /// is asked for more. NULL: none.
    const Error* find(const std::string& group) const;
    /// Another one whenever `find` may give another failure.
    std::uint64_t version() const noexcept { return version_; }

private:
    struct Followed {
        Time since{};                           ///< activities that began later count
        std::optional<Duration> wants_since{};  ///< more than it has
        std::optional<Duration> read_at{};
        std::optional<Error> failure{};
    };
    bool is_due(const Followed& group) const;
    void forget_failure(Followed& group);
    Task<void> read(std::string group);
    void drop_strangers(const std::vector<Size>& groups);

    const Host host_;
    AutoScalingApi& api_;
    const Config config_;
    const std::function<Time()> aws_now_;
    StandingWarnings warnings_;
    std::map<std::string, Followed> groups_{};
    std::uint64_t version_ = 0;
};

/// The failure of a launch among activities, the newest first, that began after `since`.
std::optional<Error> find_failed_launch(const std::vector<ScalingActivity>& activities, Time since);

}  // namespace capstan::aws
