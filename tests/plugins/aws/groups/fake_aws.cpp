#include "fake_aws.hpp"

#include <algorithm>

#include <capstan/json.hpp>
#include <capstan/time_text.hpp>

namespace capstan::aws {
namespace {

using Parameters = std::map<std::string, std::string>;

std::string element(const std::string& name, const std::string& content) {
    return "<" + name + ">" + content + "</" + name + ">";
}
std::string element(const std::string& name, int number) {
    return element(name, std::to_string(number));
}

HttpReply done(const std::string& action, const std::string& result = {}) {
    return testing::reply(200, element(action + "Response", element(action + "Result", result)));
}
HttpReply ec2_done(const std::string& action, const std::string& content) {
    return testing::reply(200, element(action + "Response", content));
}
HttpReply refusal(int status, const std::string& code, const std::string& message) {
    return testing::reply(status, "<ErrorResponse><Error>" + element("Code", code) +
                                      element("Message", message) +
                                      "</Error><RequestId>r-1</RequestId></ErrorResponse>");
}
HttpReply invalid(const std::string& message) { return refusal(400, "ValidationError", message); }

/// "Names.member.1", ".2", ... in order.
std::vector<std::string> list_of(const Parameters& sent, const std::string& name) {
    std::vector<std::string> out;
    for (int i = 1;; ++i) {
        const auto at = sent.find(name + "." + std::to_string(i));
        if (at == sent.end()) return out;
        out.push_back(at->second);
    }
}

std::string value_of(const Parameters& sent, const std::string& name) {
    const auto at = sent.find(name);
    return at != sent.end() ? at->second : "";
}

std::string launch_template_xml(const std::string& id, const std::string& version) {
    return element("LaunchTemplate", element("LaunchTemplateId", id) +
                                         element("LaunchTemplateName", id + "-name") +
                                         element("Version", version));
}

std::string instance_xml(const FakeInstance& instance, const FakeGroup& group) {
    std::string out =
        element("InstanceId", instance.id) + element("AvailabilityZone", instance.zone) +
        element("InstanceType", instance.type) + element("LifecycleState", instance.state) +
        element("HealthStatus", instance.health) +
        element("ProtectedFromScaleIn", instance.is_protected ? "true" : "false");
    out += group.launch_configuration.empty()
               ? launch_template_xml(group.launch_template, instance.version)
               : element("LaunchConfigurationName", group.launch_configuration);
    return element("member", out);
}

std::string group_xml(const std::string& name, const FakeGroup& group) {
    std::string tags, zones, instances;
    for (const auto& [key, value] : group.tags)
        tags += element("member", element("Key", key) + element("Value", value));
    for (const std::string& zone : group.zones) zones += element("member", zone);
    for (const FakeInstance& instance : group.instances) instances += instance_xml(instance, group);
    std::string out =
        element("AutoScalingGroupName", name) + element("MinSize", group.min) +
        element("MaxSize", group.max) + element("DesiredCapacity", group.desired) +
        element("Tags", tags) + element("AvailabilityZones", zones) +
        element("Instances", instances) +
        element("NewInstancesProtectedFromScaleIn", group.protects_new ? "true" : "false") +
        group.more;
    if (!group.launch_configuration.empty()) {
        out += element("LaunchConfigurationName", group.launch_configuration);
    } else if (group.more.find("MixedInstancesPolicy") == std::string::npos) {
        out += launch_template_xml(group.launch_template, group.version);
    }
    return element("member", out);
}

bool has_tags(const FakeGroup& group, const Parameters& sent) {
    for (int i = 1;; ++i) {
        const std::string filter = "Filters.member." + std::to_string(i);
        const std::string name = value_of(sent, filter + ".Name");
        if (name.empty()) return true;
        const std::string value = value_of(sent, filter + ".Values.member.1");
        const bool is_key = name == "tag-key";
        const auto tag = group.tags.find(is_key ? value : name.substr(4));
        if (tag == group.tags.end() || (!is_key && tag->second != value)) return false;
    }
}

bool counts(const FakeInstance& instance) {
    return instance.state == "InService" || instance.state.starts_with("Pending");
}

}  // namespace

FakeAws::FakeAws(testing::FakeHost& host) : host_(host) {
    host.http().handle([this](const HttpRequest& request) { return respond(request); });
}

void FakeAws::launch(const std::string& name) {
    FakeGroup& group = groups.at(name);
    while (std::count_if(group.instances.begin(), group.instances.end(), &counts) < group.desired) {
        const std::string id = "i-" + std::to_string(++last_number_);
        group.instances.push_back({.id = id,
                                   .zone = group.zones.front(),
                                   .version = group.version,
                                   .is_protected = group.protects_new});
        note(name, "Launching a new EC2 instance: " + id, "Successful");
    }
}

FakeActivity& FakeAws::note(const std::string& group, const std::string& description,
                            const std::string& status) {
    auto& activities = groups.at(group).activities;
    return *activities.insert(activities.begin(), {.id = "a-" + std::to_string(++activities_),
                                                   .description = description,
                                                   .status = status,
                                                   .started = host_.now() + ahead});
}

void FakeAws::finish(const std::string& name) {
    std::erase_if(groups.at(name).instances, [](const FakeInstance& instance) {
        return instance.state.starts_with("Terminating");
    });
}

void FakeAws::fail_launch(const std::string& name, const std::string& message,
                          const std::string& status) {
    note(name, "Launching a new EC2 instance.  Status Reason: " + message, status).message =
        message;
}

void FakeAws::lag(bool begins) {
    is_lagging = begins;
    listed_ = groups;
}

void FakeAws::refuse(const std::string& action, const std::string& code, const std::string& message,
                     int times, int status) {
    failures_[action].insert(failures_[action].end(), static_cast<std::size_t>(times),
                             {code, message, status});
}

void FakeAws::lose_responses(const std::string& action, int times) {
    failures_[action].insert(failures_[action].end(), static_cast<std::size_t>(times), {});
}

int FakeAws::calls(const std::string& action) const {
    if (action.empty()) return static_cast<int>(requests_.size());
    return static_cast<int>(requests(action).size());
}

std::vector<Parameters> FakeAws::requests(const std::string& action) const {
    std::vector<Parameters> out;
    for (const Parameters& each : requests_)
        if (value_of(each, "Action") == action) out.push_back(each);
    return out;
}

testing::HttpOutcome FakeAws::respond(const HttpRequest& request) {
    Parameters sent;
    for (const auto& [name, value] : request.headers)
        if (name == "X-Amz-Target" || name == "x-amz-target") return respond_to_queue(value);
    if (request.method == "GET") {
        sent["Action"] = "DescribeNodegroup";
    } else {
        const auto parameters = parse_query(request.body);
        if (!parameters) return testing::reply(400, "no query");
        for (const auto& [name, value] : *parameters) sent[name] = value;
    }
    requests_.push_back(sent);
    if (sent["Action"] == hangs) return testing::unanswered();
    std::deque<Problem>& failures = failures_[sent["Action"]];
    std::optional<Problem> failure;
    if (!failures.empty()) {
        failure = failures.front();
        failures.pop_front();
        if (failure->status != 0) return refusal(failure->status, failure->code, failure->message);
    }
    HttpReply reply = request.method == "GET" ? respond_with_nodegroup(request) : act(sent);
    if (failure) return testing::dropped(latency);
    reply.headers.emplace_back("date", format_http_date(host_.now() + ahead));
    return testing::delayed(latency, std::move(reply));
}

HttpReply FakeAws::act(const Parameters& sent) {
    const std::string action = value_of(sent, "Action");
    if (action == "DescribeAutoScalingGroups") return describe_groups(sent);
    if (action == "DescribeScalingActivities") return describe_activities(sent);
    if (action == "SetDesiredCapacity") return set_desired(sent);
    if (action == "SetInstanceProtection") return set_protection(sent);
    if (action == "TerminateInstanceInAutoScalingGroup") return terminate(sent);
    if (action == "DescribeLaunchTemplateVersions") return describe_version(sent);
    if (action == "DescribeInstanceTypes") return describe_types(sent);
    if (action == "DescribeInstances") return describe_instances(sent);
    if (action == "DescribeImages") return describe_images(sent);
    if (action == "DescribeLaunchConfigurations") return describe_configurations(sent);
    return refusal(400, "InvalidAction", "no action " + action);
}

HttpReply FakeAws::describe_groups(const Parameters& sent) {
    const std::map<std::string, FakeGroup>& shown = is_lagging ? listed_ : groups;
    const std::vector<std::string> names = list_of(sent, "AutoScalingGroupNames.member");
    std::vector<std::string> found;
    for (const auto& [name, group] : shown) {
        const bool is_requested = std::count(names.begin(), names.end(), name) > 0;
        if (names.empty() ? has_tags(group, sent) : is_requested) found.push_back(name);
    }
    const std::string token = value_of(sent, "NextToken");
    if (!token.empty() && token == page_fails) return refusal(400, "AccessDenied", "not this page");
    const std::size_t first = token.empty() ? 0 : std::stoul(token);
    const std::size_t last = std::min(found.size(), first + page_size);
    std::string members;
    for (std::size_t i = first; i < last; ++i) members += group_xml(found[i], shown.at(found[i]));
    const std::string next =
        last < found.size() ? element("NextToken", std::to_string(last)) : std::string();
    return done("DescribeAutoScalingGroups", element("AutoScalingGroups", members) + next);
}

HttpReply FakeAws::describe_activities(const Parameters& sent) {
    std::string members;
    for (const FakeActivity& each : groups[value_of(sent, "AutoScalingGroupName")].activities)
        members += element("member", element("ActivityId", each.id) +
                                         element("Description", each.description) +
                                         element("StartTime", format_rfc3339(each.started)) +
                                         element("StatusCode", each.status) +
                                         element("StatusMessage", each.message));
    return done("DescribeScalingActivities", element("Activities", members));
}

HttpReply FakeAws::set_desired(const Parameters& sent) {
    const auto group = groups.find(value_of(sent, "AutoScalingGroupName"));
    const int desired = std::stoi(value_of(sent, "DesiredCapacity"));
    if (group == groups.end()) return invalid("AutoScalingGroup name not found - no such group");
    if (desired > group->second.max)
        return invalid("New SetDesiredCapacity value " + std::to_string(desired) +
                       " is above max value " + std::to_string(group->second.max) +
                       " for the AutoScalingGroup.");
    if (desired < group->second.min)
        return invalid("New SetDesiredCapacity value " + std::to_string(desired) +
                       " is below min value " + std::to_string(group->second.min) +
                       " for the AutoScalingGroup.");
    group->second.desired = desired;
    return done("SetDesiredCapacity");
}

HttpReply FakeAws::set_protection(const Parameters& sent) {
    FakeGroup& group = groups.at(value_of(sent, "AutoScalingGroupName"));
    for (const std::string& id : list_of(sent, "InstanceIds.member")) {
        const auto at = std::find_if(group.instances.begin(), group.instances.end(),
                                     [&](const FakeInstance& each) { return each.id == id; });
        if (at == group.instances.end())
            return invalid("The instance " + id + " is not part of Auto Scaling group.");
        if (at->state != "InService")
            return invalid("The instance " + id + " is not in InService or Standby.");
        at->is_protected = value_of(sent, "ProtectedFromScaleIn") == "true";
    }
    return done("SetInstanceProtection");
}

HttpReply FakeAws::terminate(const Parameters& sent) {
    const std::string id = value_of(sent, "InstanceId");
    const bool decrement = value_of(sent, "ShouldDecrementDesiredCapacity") == "true";
    for (auto& [name, group] : groups) {
        for (FakeInstance& instance : group.instances) {
            if (instance.id != id) continue;
            if (decrement && group.desired <= group.min)
                return invalid("Currently, desiredSize equals minSize (" +
                               std::to_string(group.min) +
                               "). Terminating instance without replacement will violate group's "
                               "min size constraint. Either set shouldDecrementDesiredCapacity "
                               "flag to false or lower group's min size.");
            instance.state = "Terminating";
            if (decrement) --group.desired;
            return done(
                "TerminateInstanceInAutoScalingGroup",
                element("Activity", element("Description", "Terminating EC2 instance: " + id)));
        }
    }
    return invalid("Instance Id not found - No managed instance found for instance ID: " + id);
}

HttpReply FakeAws::describe_version(const Parameters& sent) {
    const std::string id = value_of(sent, "LaunchTemplateId");
    const auto at = launch_templates.find(id);
    if (at == launch_templates.end())
        return refusal(400, "InvalidLaunchTemplateId.NotFound", "no launch template " + id);
    std::string version = value_of(sent, "LaunchTemplateVersion.1");
    if (version.starts_with('$')) version = std::to_string(at->second.latest);
    std::string image = at->second.image;
    if (sent.contains("ResolveAlias") && image.starts_with("resolve:")) {
        if (!parameters.contains(image))
            return refusal(403, "UnauthorizedOperation", "no ssm:GetParameters");
        image = parameters.at(image);
    }
    const std::string data =
        element("instanceType", at->second.type) + element("imageId", image) + at->second.more;
    return ec2_done("DescribeLaunchTemplateVersions",
                    element("launchTemplateVersionSet",
                            element("item", element("launchTemplateId", id) +
                                                element("versionNumber", version) +
                                                element("launchTemplateData", data))));
}

HttpReply FakeAws::describe_types(const Parameters& sent) {
    std::string items;
    std::vector<std::string> names = list_of(sent, "InstanceType");
    if (names.empty()) names.assign(types.begin(), types.end());
    for (const std::string& name : names) {
        if (!types.contains(name))
            return refusal(400, "InvalidInstanceType",
                           "The following supplied instance types do not exist: [" + name + "]");
        const bool is_c4 = name == "c4.xlarge", is_r4 = name == "r4.large";
        const std::string memory = is_c4 ? "7680" : is_r4 ? "15616" : "8192";
        items += element("item",
                         element("instanceType", name) +
                             element("vCpuInfo", element("defaultVCpus", is_c4 ? 4 : 2)) +
                             element("memoryInfo", element("sizeInMiB", memory)) +
                             element("processorInfo",
                                     element("supportedArchitectures", element("item", "x86_64"))) +
                             element("networkInfo", element("maximumNetworkInterfaces", 3) +
                                                        element("ipv4AddressesPerInterface", 10)));
    }
    return ec2_done("DescribeInstanceTypes", element("instanceTypeSet", items));
}

/// Instance i-7 has the address 10.0.0.7 and the name ip-7.internal.
HttpReply FakeAws::describe_instances(const Parameters& sent) const {
    const std::vector<std::string> wanted = list_of(sent, "Filter.1.Value");
    if (value_of(sent, "Filter.1.Name") != "instance-id" || wanted.size() > 200)
        return refusal(400, "FilterLimitExceeded", "at most 200 instances");
    std::string items;
    for (const std::string& id : wanted) {
        if (hidden.contains(id)) continue;
        const std::string number = id.substr(id.find('-') + 1);
        items += element("item", element("instanceId", id) +
                                     element("privateIpAddress", "10.0.0." + number) +
                                     element("privateDnsName", "ip-" + number + ".internal"));
    }
    return ec2_done("DescribeInstances",
                    element("reservationSet", element("item", element("instancesSet", items))));
}

HttpReply FakeAws::describe_images(const Parameters& sent) {
    std::string items;
    for (const std::string& id : list_of(sent, "ImageId"))
        items += element("item", element("imageId", id) + element("architecture", "x86_64") +
                                     element("virtualizationType", "hvm"));
    return ec2_done("DescribeImages", element("imagesSet", items));
}

HttpReply FakeAws::describe_configurations(const Parameters& sent) {
    std::string members;
    for (const std::string& name : list_of(sent, "LaunchConfigurationNames.member"))
        members += element("member", element("LaunchConfigurationName", name) +
                                         element("InstanceType", "m5.large") +
                                         element("ImageId", "ami-1"));
    return done("DescribeLaunchConfigurations", element("LaunchConfigurations", members));
}

/// An empty queue keeps a request waiting.
testing::HttpOutcome FakeAws::respond_to_queue(const std::string& target) {
    if (target != "AmazonSQS.ReceiveMessage") return testing::reply(200, "{}");
    if (events.empty()) return testing::unanswered();
    Json messages = Json::array();
    for (const std::string& body : events) {
        Json message = Json::object();
        message.set("MessageId", "m").set("ReceiptHandle", "r").set("Body", body);
        messages.append(std::move(message));
    }
    events.clear();
    Json reply = Json::object();
    reply.set("Messages", std::move(messages));
    return testing::reply(200, to_string(reply));
}

/// The path is "/clusters/prod/node-groups/web".
HttpReply FakeAws::respond_with_nodegroup(const HttpRequest& request) {
    std::string path(testing::FakeHttp::target(request.url));
    const std::string middle = "/node-groups/";
    path.erase(0, std::string("/clusters/").size());
    if (const std::size_t at = path.find(middle); at != std::string::npos)
        path.replace(at, middle.size(), "/");
    const auto found = nodegroups.find(path);
    if (found == nodegroups.end())
        return testing::reply(404, R"({"message":"No node group found"})",
                              {{"x-amzn-errortype", "ResourceNotFoundException"}});
    return testing::reply(200, R"({"nodegroup":)" + found->second + "}");
}

}  // namespace capstan::aws
