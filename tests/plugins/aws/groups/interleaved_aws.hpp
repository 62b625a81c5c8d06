/// The parts that read and change groups, on an Auto Scaling API in memory, for random
/// interleavings.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/interleavings.hpp>

#include "groups/failed_activities.hpp"
#include "groups/group_changes.hpp"
#include "groups/group_limits.hpp"
#include "groups/group_lists.hpp"
#include "wire/aws_client.hpp"
#include "wire/static_credentials.hpp"

namespace capstan::aws {

/// How instances that the host needs are kept from termination by AWS.
enum class Protection : std::uint8_t {
    by_group,   ///< new instances are protected
    by_plugin,  ///< the plugin may protect instances
    none,       ///< the plugin waits until the group is idle
};

/// A group "web" of one to three zones. It launches in the zone with the fewest instances. When it
/// has too many, it terminates unprotected ones: of the zone with the most, the oldest first.
class InterleavedApi : public AutoScalingApi {
public:
    InterleavedApi(testing::FakeHost& host, AwsClient& client, Protection protection,
                   std::uint64_t seed);

    Task<AutoScalingGroups> find_groups(std::vector<TagFilter> tags) override;
    Task<AutoScalingGroups> describe_groups(std::vector<std::string> names) override;
    Task<std::vector<ScalingActivity>> describe_activities(std::string group,
                                                           std::optional<Time> since) override;
    Task<void> set_desired_capacity(std::string group, int desired) override;
    Task<void> set_instance_protection(std::string group, std::vector<std::string> instance_ids,
                                       bool is_protected) override;
    Task<std::string> terminate_instance(std::string instance_id, bool decrement) override;

    testing::CloudFaults faults{};
    bool is_taking_back = false;  ///< the plugin is applying a decrease
    /// Applies what AWS does by itself up to now.
    void act();
    const AutoScalingGroup& group() const { return group_; }
    void set_by_another(int desired);

private:
    struct Moment {
        Duration at{};
        AutoScalingGroup group{};
    };
    struct Late {
        Duration at{};
        int desired = 0;
        bool is_overtaken = false;  ///< another client has set the desired capacity since
    };
    enum class Fate : std::uint8_t { done, answer_lost, without_effect, done_late };
    void check_throttle();
    Task<Fate> begin_change();
    /// Whether launches may begin between a read and the change after it: during a decrease, if the
    /// change can terminate no instance that the read returned.
    bool has_window() const { return is_taking_back && protection_ != Protection::none; }
    void end_change(Fate fate);
    void carry_out_late();
    void launch_missing();
    bool launch_one();
    void end_surplus();
    void end(const std::string& id);
    void note(const std::string& description, const std::string& status);
    bool is_out(const std::string& zone) const;
    std::vector<std::string> zones_by_size() const;
    void remember();

    testing::FakeHost& host_;
    const Protection protection_;
    const Duration launch_delay_, boot_;
    AutoScalingGroup group_{};
    std::deque<Moment> history_{};
    std::deque<ScalingActivity> activities_{};  ///< the newest first
    std::map<std::string, Duration> in_service_at_{};
    std::deque<Late> late_{};
    bool was_set_by_another_ = false;  ///< the desired capacity
    std::optional<Duration> attempt_at_{};
    Duration retry_{};
    int last_id_ = 0;
};

/// With an odd seed, a second of the interleavings is ten seconds of AWS, so that launches age.
class InterleavedAws : public testing::InterleavedCloud {
public:
    InterleavedAws(Protection protection, std::uint64_t seed);
    ~InterleavedAws() override { std::ignore = host_.stop(); }

    Result<CloudView> refresh() override;
    Result<Resized> increase(const Resize& request) override;
    Result<Resized> decrease_target(const Resize& request) override;
    Result<Removed> remove(const Removal& request) override;
    void set_faults(testing::CloudFaults faults) override;
    std::vector<MachineId> machines() const override;
    int target() const override;
    void set_target(int target) override;
    void advance(Duration by) override;

private:
    Task<CloudView> read();

    const int seconds_;  ///< of AWS in a second of the interleavings
    testing::FakeHost host_{};
    StaticCredentials credentials_{{}};
    AwsClient client_;
    InterleavedApi api_;
    StaticLimits limits_{{}};
    GroupLists lists_;
    FailedActivities activities_;
    GroupChanges changes_;
};

}  // namespace capstan::aws
