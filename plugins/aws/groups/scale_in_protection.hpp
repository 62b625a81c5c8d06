/// Scale-in protection that this plugin sets while it lowers a desired capacity.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

/// [strand] AWS chooses the instances that it terminates for a lower desired capacity among those
/// that are not protected. The ids of instances that this plugin protects are in its state before
/// AWS is asked, so another process ends the protection after a restart.
class ScaleInProtection {
public:
    ScaleInProtection(const Host& host, AutoScalingApi& api)
        : host_(host), api_(api), warnings_(host) {}

    /// Call before a desired capacity is lowered: instances that the plugin has protected stay
    /// protected for two minutes.
    void hold(const std::string& group);
    /// Protects the instances, which are not protected yet. False: the plugin's state cannot be
    /// written, or AWS has refused the permission within the last ten minutes. After a Failure some
    /// of them may be protected.
    Task<bool> protect(std::string group, std::vector<std::string> instance_ids);
    /// Whether protection was ended less than two minutes ago: lists may still show it.
    bool was_ended_lately(const std::string& group) const;

    /// Groups with instances that the plugin has protected, and for which `hold` was last called
    /// two minutes ago or more. For a group that a new process finds in the state, the two minutes
    /// begin then.
    std::vector<std::string> find_due();
    /// Ends the protection that the plugin has set on instances of `group`, as AWS lists it now;
    /// absent: it is not listed any more. After an error it is due again in two minutes.
    Task<void> end(std::string name, std::optional<AutoScalingGroup> group);

private:
    using Held = std::map<std::string, std::set<std::string>>;  ///< instance ids by group
    struct Stored {
        Held held{};
        std::uint64_t revision = 0;
    };
    Result<Stored> load() const;
    Result<void> store(const Stored& stored) const;
    Result<void> add(const std::string& group, const std::vector<std::string>& instance_ids);
    Result<void> drop(const std::string& group, const std::vector<std::string>& instance_ids);

    const Host host_;
    AutoScalingApi& api_;
    StandingWarnings warnings_;
    std::map<std::string, Duration> held_since_{}, ended_at_{};  ///< by host.monotonic()
    std::optional<Duration> refused_at_{};
};

}  // namespace capstan::aws
