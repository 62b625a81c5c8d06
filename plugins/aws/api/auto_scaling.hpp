/// EC2 Auto Scaling: groups, their instances and activities.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/task.hpp>
#include <capstan/time.hpp>

#include "launch_template.hpp"

namespace capstan::aws {

class AwsClient;

struct TypeOverride {
    std::string instance_type{};                         ///< empty: `requirements` select types
    std::optional<LaunchTemplateRef> launch_template{};  ///< replaces the policy's
    std::string weighted_capacity{};                     ///< empty: 1
    std::optional<InstanceRequirements> requirements{};
};

struct MixedInstancesPolicy {
    LaunchTemplateRef launch_template{};
    std::vector<TypeOverride> overrides{};
    int on_demand_base = 0;
    int on_demand_percentage = 100;  ///< of the capacity above the base
    std::string spot_allocation_strategy{}, spot_max_price{};
};

struct AsgInstance {
    std::string id{}, zone{}, instance_type{};
    std::string lifecycle_state{};  ///< "InService", "Pending:Wait", "Warmed:Stopped", ...
    std::string health_status{};    ///< "Healthy" or "Unhealthy"
    std::optional<LaunchTemplateRef> launch_template{};
    std::string launch_configuration{}, weighted_capacity{};
    bool is_protected = false;  ///< from scale-in
};

struct AutoScalingGroup {
    std::string name{}, arn{};
    int min = 0, max = 0, desired = 0;
    std::vector<std::string> zones{}, subnets{};
    std::string launch_configuration{};
    std::optional<LaunchTemplateRef> launch_template{};
    std::optional<MixedInstancesPolicy> mixed{};
    Labels tags{};  ///< a tag without a value has the empty value
    std::vector<AsgInstance> instances{};
    std::string status{};  ///< "Delete in progress" while it is being deleted
    std::vector<std::string> suspended_processes{};
    std::string desired_capacity_type{};  ///< empty: "units"
    bool has_warm_pool = false;
    std::optional<Time> created{};
    bool protects_new_instances = false;  ///< from scale-in
};

/// One answer. A group that could not be parsed is an entry of `unreadable`; the others are kept.
struct AutoScalingGroups {
    std::vector<AutoScalingGroup> groups{};  ///< ascending by name
    std::vector<Error> unreadable{};         ///< Error::subject is the group's name
};

struct ScalingActivity {
    std::string id{}, description{}, cause{};
    std::optional<Time> started{}, ended{};
    std::string status_code{};     ///< "Successful", "Failed", "Cancelled", "InProgress", ...
    std::string status_message{};  ///< AWS's text on why the activity failed
};

/// A filter by tag. Without `value`, every value of the tag matches.
struct TagFilter {
    std::string key{};
    std::optional<std::string> value{};
    bool operator==(const TagFilter&) const = default;
};

/// [strand] Each function calls one action and reads all pages, unless its comment says otherwise.
/// Names are sent in batches. The functions that list and scale groups are virtual, so that tests
/// with many groups can replace them.
class AutoScalingApi {
public:
    explicit AutoScalingApi(AwsClient& client) : client_(client) {}
    virtual ~AutoScalingApi() = default;

    /// The groups that have all of the tags. `invalid_argument`: `tags` is empty.
    virtual Task<AutoScalingGroups> find_groups(std::vector<TagFilter> tags);
    /// The groups by name; names of groups that do not exist are ignored.
    virtual Task<AutoScalingGroups> describe_groups(std::vector<std::string> names);
    /// Describes one group in one request that is not repeated, to find out whether AWS throttles.
    Task<void> probe(std::string group);
    /// At most the newest 100 activities, newest first, without those that started before `since`.
    virtual Task<std::vector<ScalingActivity>> describe_activities(std::string group,
                                                                   std::optional<Time> since);
    /// The launch configurations that exist, by name.
    Task<std::map<std::string, LaunchTemplateData>> describe_launch_configurations(
        std::vector<std::string> names);

    /// The request is never sent again, not even after throttling: the number was computed from a
    /// list that may be out of date by then. If no answer comes, the outcome is unknown
    /// (`deadline`).
    virtual Task<void> set_desired_capacity(std::string group, int desired);
    /// Protects instances of the group from scale-in, or ends their protection. AWS refuses if one
    /// of them is not of the group or is still being launched.
    virtual Task<void> set_instance_protection(std::string group,
                                               std::vector<std::string> instance_ids,
                                               bool is_protected);
    /// Terminates the instance, protected or not. With `decrement` the desired capacity falls by
    /// one; without it AWS launches a replacement. Returns the description of the scaling activity.
    /// If no answer comes, the request is not sent again: the outcome is unknown (`deadline`).
    virtual Task<std::string> terminate_instance(std::string instance_id, bool decrement);

    struct NewGroup {
        std::string name{};
        LaunchTemplateRef launch_template{};
        std::vector<std::string> subnets{};
        int min = 0, max = 0, desired = 0;
        Labels tags{};                ///< of the group only
        Labels propagated_tags{};     ///< of the group and its instances (PropagateAtLaunch)
        bool spot = false;            ///< all instances are spot, by a mixed instances policy
        std::string instance_type{};  ///< used for spot; else the launch template's type counts
    };
    Task<void> create_group(NewGroup group);
    /// AWS refuses (`conflict`) while the group has instances or a scaling activity is in progress.
    Task<void> delete_group(std::string name);

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
