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
    std::string instance_type{};                         ///< empty: by requirements
    std::optional<LaunchTemplateRef> launch_template{};  ///< instead of the policy's
    std::string weighted_capacity{};                     ///< empty: 1
    std::optional<InstanceRequirements> requirements{};
};

struct MixedInstancesPolicy {
    LaunchTemplateRef launch_template{};
    std::vector<TypeOverride> overrides{};
    int on_demand_base = 0;
    int on_demand_percentage = 100;  ///< of what is above the base
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
    Labels tags{};  ///< a tag without a value has an empty one
    std::vector<AsgInstance> instances{};
    std::string status{};  ///< "Delete in progress" while it is being deleted
    std::vector<std::string> suspended_processes{};
    std::string desired_capacity_type{};  ///< empty: "units"
    bool has_warm_pool = false;
    std::optional<Time> created{};
};

/// One answer; a group that could not be read is an error and costs no other.
struct AutoScalingGroups {
    std::vector<AutoScalingGroup> groups{};  ///< in the order of their names
    std::vector<Error> unreadable{};         ///< Error::subject is the group's name
};

struct ScalingActivity {
    std::string id{}, description{}, cause{};
    std::optional<Time> started{}, ended{};
    std::string status_code{};     ///< "Successful", "Failed", "Cancelled", "InProgress", ...
    std::string status_message{};  ///< why it failed, in AWS's words
};

/// What a filter of a tag asks: any value where `value` is absent.
struct TagFilter {
    std::string key{};
    std::optional<std::string> value{};
    bool operator==(const TagFilter&) const = default;
};

/// [strand] Each function is one action, with all of its pages; names go in batches of 100.
class AutoScalingApi {
public:
    explicit AutoScalingApi(AwsClient& client) : client_(client) {}

    /// Groups that carry all of the tags; one at least (`invalid_argument`).
    Task<AutoScalingGroups> find_groups(std::vector<TagFilter> tags);
    /// Those of the names that exist.
    Task<AutoScalingGroups> describe_groups(std::vector<std::string> names);
    /// The newest hundred at most, the newest first; none that started before `since`.
    Task<std::vector<ScalingActivity>> describe_activities(std::string group,
                                                           std::optional<Time> since);
    /// The instance type of each launch configuration, by name.
    Task<std::map<std::string, LaunchTemplateData>> describe_launch_configurations(
        std::vector<std::string> names);

    Task<void> set_desired_capacity(std::string group, int desired);
    /// Terminates, and lowers the desired capacity by one. The activity's description. Sent once:
    /// after an attempt without an answer what came of it is not known (`deadline`).
    Task<std::string> terminate_instance(std::string instance_id);

    struct NewGroup {
        std::string name{};
        LaunchTemplateRef launch_template{};
        std::vector<std::string> subnets{};
        int min = 0, max = 0, desired = 0;
        Labels tags{};  ///< none of them is propagated to instances
        Labels propagated_tags{};
        bool spot = false;            ///< all of it, by a mixed instances policy
        std::string instance_type{};  ///< of spot; else the launch template's
    };
    Task<void> create_group(NewGroup group);
    /// Refused by AWS (`conflict`) while it has instances or a scaling activity is in progress.
    Task<void> delete_group(std::string name);

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
