#include "auto_scaling.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/time_text.hpp>

#include "../wire/aws_client.hpp"
#include "auto_scaling_xml.hpp"
#include "fields.hpp"
#include "launch_template_xml.hpp"
#include "paged_query.hpp"

namespace capstan::aws {
namespace {

using GroupReading = Result<AutoScalingGroup>;
using NamedConfiguration = std::pair<std::string, LaunchTemplateData>;

/// The maximum number of names of one request. More than 50 are allowed only with a MaxRecords.
constexpr std::size_t names_of_groups = 100, names_of_configurations = 50, ids_to_protect = 50;
constexpr std::int64_t groups_a_page = 100, configurations_a_page = 50;
constexpr std::size_t most_activities = 100;
/// A page may have fewer than MaxRecords entries although more pages follow.
constexpr int most_activity_pages = 10;
/// Batches that are requested in parallel.
constexpr std::size_t parallel_batches = 4;

QueryRequest about_groups(const char* action) { return {Service::auto_scaling, action}; }

std::vector<GroupReading> group_readings_of(const XmlElement& result) {
    std::vector<GroupReading> out;
    for (const XmlElement& member : result.items("AutoScalingGroups"))
        out.push_back(read_group(member));
    return out;
}

std::vector<NamedConfiguration> configurations_of(const XmlElement& result) {
    std::vector<NamedConfiguration> out;
    for (const XmlElement& member : result.items("LaunchConfigurations"))
        out.emplace_back(member.text("LaunchConfigurationName"), read_launch_configuration(member));
    return out;
}

void set_filter(QueryRequest& request, int number, const std::string& name,
                const std::string& value) {
    const std::string filter = "Filters.member." + std::to_string(number);
    request.set(filter + ".Name", name).set(filter + ".Values.member.1", value);
}

void set_reference(QueryRequest& request, const std::string& prefix, const LaunchTemplateRef& ref) {
    // AWS refuses a request with both the id and the name.
    if (!ref.id.empty()) {
        request.set(prefix + ".LaunchTemplateId", ref.id);
    } else {
        request.set(prefix + ".LaunchTemplateName", ref.name);
    }
    request.set(prefix + ".Version", ref.version.empty() ? std::string("$Default") : ref.version);
}

void set_spot_policy(QueryRequest& request, const AutoScalingApi::NewGroup& group) {
    const std::string launch = "MixedInstancesPolicy.LaunchTemplate";
    const std::string shares = "MixedInstancesPolicy.InstancesDistribution";
    set_reference(request, launch + ".LaunchTemplateSpecification", group.launch_template);
    if (!group.instance_type.empty())
        request.set(launch + ".Overrides.member.1.InstanceType", group.instance_type);
    request.set(shares + ".OnDemandBaseCapacity", std::int64_t{0})
        .set(shares + ".OnDemandPercentageAboveBaseCapacity", std::int64_t{0})
        .set(shares + ".SpotAllocationStrategy", std::string("price-capacity-optimized"));
}

class GroupTags {
public:
    GroupTags(QueryRequest& request, std::string group)
        : request_(request), group_(std::move(group)) {}
    void add(const Labels& tags, bool is_propagated) {
        for (const auto& [key, value] : tags) {
            const std::string tag = "Tags.member." + std::to_string(++count_);
            request_.set(tag + ".ResourceId", group_)
                .set(tag + ".ResourceType", std::string("auto-scaling-group"))
                .set(tag + ".Key", key)
                .set(tag + ".Value", value)
                .set(tag + ".PropagateAtLaunch", is_propagated);
        }
    }

private:
    QueryRequest& request_;
    std::string group_;
    int count_ = 0;
};

std::string joined_by_commas(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : ",") + text;
    return out;
}

}  // namespace

Task<AutoScalingGroups> AutoScalingApi::find_groups(std::vector<TagFilter> tags) {
    // Without a filter AWS answers with every group of the account.
    if (tags.empty())
        co_return fail(ErrorCode::invalid_argument, "finding groups needs at least one tag");
    QueryRequest request = about_groups("DescribeAutoScalingGroups");
    int number = 0;
    for (const TagFilter& tag : tags) {
        if (tag.value) {
            set_filter(request, ++number, "tag:" + tag.key, *tag.value);
        } else {
            set_filter(request, ++number, "tag-key", tag.key);
        }
    }
    request.set("MaxRecords", groups_a_page);
    co_return sorted_groups(
        co_await ask_all<GroupReading>(client_, std::move(request), &group_readings_of));
}

Task<AutoScalingGroups> AutoScalingApi::describe_groups(std::vector<std::string> names) {
    std::vector<Task<std::vector<GroupReading>>> reads;
    for (const auto& batch : batches_of(std::move(names), names_of_groups)) {
        QueryRequest request = about_groups("DescribeAutoScalingGroups");
        request.set_list("AutoScalingGroupNames.member", batch).set("MaxRecords", groups_a_page);
        reads.push_back(ask_all<GroupReading>(client_, std::move(request), &group_readings_of));
    }
    std::vector<GroupReading> all;
    auto answers = co_await gather(std::move(reads), parallel_batches);
    for (std::vector<GroupReading>& batch : answers) {
        for (GroupReading& group : batch) all.push_back(std::move(group));
    }
    co_return sorted_groups(std::move(all));
}

Task<void> AutoScalingApi::probe(std::string group) {
    QueryRequest request = about_groups("DescribeAutoScalingGroups");
    request.set_list("AutoScalingGroupNames.member", {std::move(group)});
    std::ignore = co_await client_.call(std::move(request), Repeatable::never);
}

Task<std::vector<ScalingActivity>> AutoScalingApi::describe_activities(std::string group,
                                                                       std::optional<Time> since) {
    QueryRequest first = about_groups("DescribeScalingActivities");
    first.set("AutoScalingGroupName", group)
        .set("MaxRecords", static_cast<std::int64_t>(most_activities));
    // In whole seconds, like the times of AWS's own clients.
    if (since)
        set_filter(first, 1, "StartTimeLowerBound",
                   format_rfc3339(std::chrono::floor<std::chrono::seconds>(*since)));
    std::vector<ScalingActivity> out;
    std::string token;
    for (int page = 0; page < most_activity_pages; ++page) {
        QueryRequest request = first;
        if (!token.empty()) request.set("NextToken", token);
        const XmlReply reply = co_await client_.call(std::move(request), Repeatable::yes);
        for (const XmlElement& member : reply.result().items("Activities")) {
            ScalingActivity activity = read_activity(member);
            const bool is_early = since && (!activity.started || *activity.started < *since);
            if (!is_early && out.size() < most_activities) out.push_back(std::move(activity));
        }
        token = reply.result().text("NextToken");
        if (token.empty() || out.size() == most_activities) break;
    }
    co_return out;
}

Task<std::map<std::string, LaunchTemplateData>> AutoScalingApi::describe_launch_configurations(
    std::vector<std::string> names) {
    std::map<std::string, LaunchTemplateData> out;
    for (const auto& batch : batches_of(std::move(names), names_of_configurations)) {
        QueryRequest request = about_groups("DescribeLaunchConfigurations");
        request.set_list("LaunchConfigurationNames.member", batch)
            .set("MaxRecords", configurations_a_page);
        auto read =
            co_await ask_all<NamedConfiguration>(client_, std::move(request), &configurations_of);
        for (NamedConfiguration& one : read)
            out.insert_or_assign(std::move(one.first), std::move(one.second));
    }
    co_return out;
}

Task<void> AutoScalingApi::set_desired_capacity(std::string group, int desired) {
    QueryRequest request = about_groups("SetDesiredCapacity");
    request.set("AutoScalingGroupName", std::move(group))
        .set("DesiredCapacity", std::int64_t{desired})
        .set("HonorCooldown", false);
    co_await client_.call(std::move(request), Repeatable::never);
}

Task<void> AutoScalingApi::set_instance_protection(std::string group,
                                                   std::vector<std::string> instance_ids,
                                                   bool is_protected) {
    for (const auto& batch : batches_of(std::move(instance_ids), ids_to_protect)) {
        QueryRequest request = about_groups("SetInstanceProtection");
        request.set("AutoScalingGroupName", group)
            .set_list("InstanceIds.member", batch)
            .set("ProtectedFromScaleIn", is_protected);
        co_await client_.call(std::move(request), Repeatable::yes);
    }
}

Task<std::string> AutoScalingApi::terminate_instance(std::string instance_id, bool decrement) {
    QueryRequest request = about_groups("TerminateInstanceInAutoScalingGroup");
    request.set("InstanceId", std::move(instance_id))
        .set("ShouldDecrementDesiredCapacity", decrement);
    // A repeated request might lower the desired capacity twice, and AWS would terminate another
    // instance.
    const XmlReply reply = co_await client_.call(std::move(request), Repeatable::no);
    co_return reply.result().child("Activity").text("Description");
}

Task<void> AutoScalingApi::create_group(NewGroup group) {
    QueryRequest request = about_groups("CreateAutoScalingGroup");
    request.set("AutoScalingGroupName", group.name);
    if (group.spot) {
        set_spot_policy(request, group);
    } else {
        set_reference(request, "LaunchTemplate", group.launch_template);
    }
    request.set("MinSize", std::int64_t{group.min})
        .set("MaxSize", std::int64_t{group.max})
        .set("DesiredCapacity", std::int64_t{group.desired});
    request.set("VPCZoneIdentifier", joined_by_commas(group.subnets));
    GroupTags tags(request, group.name);
    tags.add(group.tags, false);
    tags.add(group.propagated_tags, true);
    co_await client_.call(std::move(request), Repeatable::no);
}

Task<void> AutoScalingApi::delete_group(std::string name) {
    QueryRequest request = about_groups("DeleteAutoScalingGroup");
    request.set("AutoScalingGroupName", std::move(name)).set("ForceDelete", false);
    co_await client_.call(std::move(request), Repeatable::yes);
}

}  // namespace capstan::aws
