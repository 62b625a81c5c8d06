#include "auto_scaling_xml.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>

#include "fields.hpp"
#include "launch_template_xml.hpp"

namespace capstan::aws {
namespace {

AsgInstance asg_instance_of(const XmlElement& member) {
    AsgInstance out{.id = member.required_text("InstanceId"),
                    .zone = member.text("AvailabilityZone"),
                    .instance_type = member.text("InstanceType"),
                    .lifecycle_state = member.required_text("LifecycleState"),
                    .health_status = member.text("HealthStatus")};
    out.launch_template = find_reference(member.child("LaunchTemplate"));
    out.launch_configuration = member.text("LaunchConfigurationName");
    out.weighted_capacity = member.text("WeightedCapacity");
    out.is_protected = member.boolean("ProtectedFromScaleIn").value_or(false);
    return out;
}

TypeOverride type_override_of(const XmlElement& member) {
    return {.instance_type = member.text("InstanceType"),
            .launch_template = find_reference(member.child("LaunchTemplateSpecification")),
            .weighted_capacity = member.text("WeightedCapacity"),
            .requirements = find_requirements(member.child("InstanceRequirements"))};
}

std::optional<MixedInstancesPolicy> find_mixed_policy(const XmlElement& policy) {
    if (!policy) return std::nullopt;
    const XmlElement launch = policy.child("LaunchTemplate");
    MixedInstancesPolicy out;
    out.launch_template =
        find_reference(launch.child("LaunchTemplateSpecification")).value_or(LaunchTemplateRef{});
    for (const XmlElement& member : launch.items("Overrides"))
        out.overrides.push_back(type_override_of(member));
    const XmlElement shares = policy.child("InstancesDistribution");
    out.on_demand_base = find_int(shares, "OnDemandBaseCapacity").value_or(out.on_demand_base);
    out.on_demand_percentage =
        find_int(shares, "OnDemandPercentageAboveBaseCapacity").value_or(out.on_demand_percentage);
    out.spot_allocation_strategy = shares.text("SpotAllocationStrategy");
    out.spot_max_price = shares.text("SpotMaxPrice");
    return out;
}

/// "subnet-1,subnet-2", as AWS has VPCZoneIdentifier; blanks are allowed there.
std::vector<std::string> subnets_of(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (!part.empty()) out.emplace_back(part);
    }
    return out;
}

std::vector<std::string> suspended_of(const XmlElement& member) {
    std::vector<std::string> out;
    for (const XmlElement& process : member.items("SuspendedProcesses"))
        out.push_back(process.text("ProcessName"));
    return out;
}

int required_size(const XmlElement& member, std::string_view name) {
    const int size = required_int(member, name);
    if (size < 0)
        throw Failure(ErrorCode::unavailable,
                      member.child(name).path() + ": " + std::to_string(size) + " is negative");
    return size;
}

AutoScalingGroup group_of(const XmlElement& member) {
    AutoScalingGroup out{.name = member.required_text("AutoScalingGroupName"),
                         .arn = member.text("AutoScalingGroupARN")};
    out.min = required_size(member, "MinSize");
    out.max = required_size(member, "MaxSize");
    out.desired = required_size(member, "DesiredCapacity");
    out.zones = read_texts(member, "AvailabilityZones");
    out.subnets = subnets_of(member.text("VPCZoneIdentifier"));
    out.launch_configuration = member.text("LaunchConfigurationName");
    out.launch_template = find_reference(member.child("LaunchTemplate"));
    out.mixed = find_mixed_policy(member.child("MixedInstancesPolicy"));
    out.tags = read_tags(member, "Tags", query_tags);
    for (const XmlElement& instance : member.items("Instances"))
        out.instances.push_back(asg_instance_of(instance));
    out.status = member.text("Status");
    out.suspended_processes = suspended_of(member);
    out.desired_capacity_type = member.text("DesiredCapacityType");
    out.has_warm_pool = static_cast<bool>(member.child("WarmPoolConfiguration"));
    out.created = member.time("CreatedTime");
    out.protects_new_instances = member.boolean("NewInstancesProtectedFromScaleIn").value_or(false);
    return out;
}

}  // namespace

Result<AutoScalingGroup> read_group(const XmlElement& member) {
    try {
        return group_of(member);
    } catch (...) {
        Error error = current_error();
        error.subject = member.text("AutoScalingGroupName");
        if (!error.subject.empty()) error.message.insert(0, "group " + error.subject + ": ");
        return fail(std::move(error));
    }
}

AutoScalingGroups sorted_groups(std::vector<Result<AutoScalingGroup>> read) {
    AutoScalingGroups out;
    for (Result<AutoScalingGroup>& group : read) {
        if (group) {
            out.groups.push_back(std::move(*group));
        } else {
            out.unreadable.push_back(std::move(group).error());
        }
    }
    const auto by_name = [](const AutoScalingGroup& a, const AutoScalingGroup& b) {
        return a.name < b.name;
    };
    std::stable_sort(out.groups.begin(), out.groups.end(), by_name);
    const auto last = std::unique(out.groups.begin(), out.groups.end(),
                                  [](const auto& a, const auto& b) { return a.name == b.name; });
    out.groups.erase(last, out.groups.end());
    return out;
}

ScalingActivity read_activity(const XmlElement& member) {
    ScalingActivity out{.id = member.text("ActivityId"),
                        .description = member.text("Description"),
                        .cause = member.text("Cause")};
    out.started = member.time("StartTime");
    out.ended = member.time("EndTime");
    out.status_code = member.text("StatusCode");
    out.status_message = member.text("StatusMessage");
    return out;
}

}  // namespace capstan::aws
