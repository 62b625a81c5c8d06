#include "aws_server.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

namespace capstan::aws {
namespace {

namespace json = boost::json;

constexpr const char* account_number = "123456789012";

json::object tag(const std::string& key, const std::string& value) {
    return {{"Key", key}, {"Value", value}, {"PropagateAtLaunch", true}};
}

json::array tags_of(const Group& group) {
    json::array out{tag("k8s.io/cluster-autoscaler/enabled", "true"),
                    tag(std::string("k8s.io/cluster-autoscaler/") + cluster_name, "owned")};
    for (const auto& [key, value] : group.labels)
        out.push_back(tag(scaling_label_tag + key, value));
    for (const auto& [key, value] : group.tags) out.push_back(tag(key, value));
    return out;
}

json::object mixed_policy(const Group& group) {
    json::array overrides;
    for (const std::string& type : group.types)
        overrides.push_back(json::object{{"InstanceType", type}});
    return {
        {"LaunchTemplate",
         json::object{{"LaunchTemplateSpecification",
                       json::object{{"LaunchTemplateName", group.name}, {"Version", "$Latest"}}},
                      {"Overrides", overrides}}},
        {"InstancesDistribution",
         json::object{{"OnDemandBaseCapacity", 0},
                      {"OnDemandPercentageAboveBaseCapacity", group.spot ? 0 : 100},
                      {"SpotAllocationStrategy", "price-capacity-optimized"}}}};
}

/// Adds the calls that create the group and its launch template.
void add_group(json::array& calls, const Group& group) {
    const bool is_mixed = group.spot || group.types.size() > 1;
    json::object data{{"ImageId", group.image}, {"InstanceType", group.types.front()}};
    calls.push_back(json::array{
        "ec2", "CreateLaunchTemplate",
        json::object{{"LaunchTemplateName", group.name}, {"LaunchTemplateData", std::move(data)}}});
    json::object wanted{{"AutoScalingGroupName", group.name},
                        {"MinSize", group.min},
                        {"MaxSize", group.max},
                        {"DesiredCapacity", group.desired},
                        {"AvailabilityZones", json::value_from(group.zones)},
                        {"Tags", tags_of(group)}};
    if (is_mixed) {
        wanted["MixedInstancesPolicy"] = mixed_policy(group);
    } else {
        wanted["LaunchTemplate"] = {{"LaunchTemplateName", group.name}, {"Version", "$Latest"}};
    }
    calls.push_back(json::array{"autoscaling", "CreateAutoScalingGroup", std::move(wanted)});
}

/// The setup in the form of the server. The instance and the pod of Capstan have a role with the
/// policies.
json::object describe(const ServerSetup& setup) {
    json::array calls;
    for (const SetupCall& call : setup.calls)
        calls.push_back(json::array{call.service, call.action, call.parameters});
    for (const Group& group : setup.groups) add_group(calls, group);
    json::object out = setup.more;
    out["calls"] = std::move(calls);
    out["region"] = region;
    const json::object role{{"name", "capstan-shop"}, {"policy", policy_of(setup.policies)}};
    out["identities"] = {{"roles", json::array{role}},
                         {"machine_role", "capstan-shop"},
                         {"pod_role", "capstan-shop"},
                         {"pod_token", "a-pods-token"},
                         {"web_token", "a-web-token"}};
    return out;
}

Call read_call(const json::value& value) {
    const auto text = [&](const char* name) {
        const json::value* const found = value.as_object().if_contains(name);
        return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
    };
    Call out{.number = value.at("number").to_number<std::int64_t>(),
             .at = value.at("at").to_number<double>(),
             .service = text("service"),
             .action = text("action"),
             .principal = text("principal"),
             .response = text("answer"),
             .parameters = value.at("parameters")};
    if (const json::value* const status = value.as_object().if_contains("status"))
        out.status = status->to_number<int>();
    return out;
}

}  // namespace

json::object policy_of(const std::vector<std::string>& files) {
    json::array statements;
    for (const std::string& file : files) {
        std::string text = clouds::text_of(std::filesystem::path("deploy/aws") / file);
        if (text.empty()) throw std::runtime_error("deploy/aws has no " + file);
        for (const auto& [what, by] : {std::pair{"REGION", region},
                                       {"ACCOUNT", account_number},
                                       {"CLUSTER", cluster_name},
                                       {"NODE_ROLE", "nodes"}})
            clouds::replace_all(text, what, by);
        const json::value document = json::parse(text);
        for (const json::value& statement : document.at("Statement").as_array())
            statements.push_back(statement);
    }
    return {{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
}

std::string Call::parameter(const std::string& name) const {
    const json::value* const found = parameters.as_object().if_contains(name);
    return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
}

AwsServer::AwsServer(const ServerSetup& setup) : CloudServer("tests/aws", describe(setup)) {}

int AwsServer::desired(const std::string& group) const {
    const json::value all = get("groups");
    const json::value* const found = all.as_object().if_contains(group);
    return found == nullptr ? -1 : found->at("desired").to_number<int>();
}

std::vector<json::object> AwsServer::machines(const std::string& group) const {
    std::vector<json::object> out;
    const json::value all = get("machines");
    for (const json::value& machine : all.as_array())
        if (machine.at("group").as_string() == group) out.push_back(machine.as_object());
    return out;
}

std::vector<std::string> AwsServer::groups() const {
    std::vector<std::string> out;
    const json::value all = get("groups");
    for (const auto& group : all.as_object()) out.emplace_back(group.key());
    return out;
}

std::vector<Call> AwsServer::calls(const std::string& action) const {
    std::vector<Call> out;
    const json::value all = get("calls");
    for (const json::value& each : all.as_array())
        if (action.empty() || each.at("action").as_string() == action)
            out.push_back(read_call(each));
    return out;
}

int AwsServer::most_desired(const std::string& group) const {
    int out = 0;
    for (const Call& call : calls("SetDesiredCapacity"))
        if (call.parameter("AutoScalingGroupName") == group)
            out = std::max(out, std::stoi(call.parameter("DesiredCapacity")));
    return out;
}

std::string AwsServer::calls_text() const {
    std::ostringstream out;
    for (const Call& call : calls())
        out << call.number << " " << call.service << ":" << call.action << " " << call.status << " "
            << json::serialize(call.parameters).substr(0, 300) << " "
            << call.response.substr(0, 300) << "\n";
    return std::move(out).str();
}

ServerSetup bare_account() {
    ServerSetup setup{.policies = {"policy.json", "policy_provisioning.json"}};
    setup.calls = {{"ec2",
                    "CreateLaunchTemplate",
                    {{"LaunchTemplateName", "nodes"},
                     {"LaunchTemplateData",
                      json::object{{"ImageId", "ami-ekslinux"}, {"UserData", node_config}}}}}};
    setup.more["subnet_tags"] = json::object{{"kubernetes.io/cluster/shop", "shared"}};
    return setup;
}

clouds::ScenarioOptions provisioned() {
    return {.settings =
                "provisioning = { launch_template = \"nodes\", subnet_tags = { "
                "\"kubernetes.io/cluster/shop\" = \"shared\" }, instance_types = [\"m5.*\"] }\n",
            .scale_up = "group_sources = [\"provisioning\"]\n",
            .more = "[plugin.provisioning]\nsettings = { max_groups = 10 }\n",
            .empty_group_time = "5s",
            .discovery = "[]"};
}

clouds::Part part_of(std::shared_ptr<AwsServer> server, const clouds::ScenarioOptions& options) {
    constexpr const char* by_tags =
        R"(["k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/shop"])";
    std::ostringstream settings;
    settings << "region = \"" << region << "\"\ncluster = \"" << cluster_name
             << "\"\nendpoint_url = \"SERVER\"\nrefresh_every = \"1s\"\ndiscovery = "
             << (options.discovery.empty() ? by_tags : options.discovery)
             << "\ncredentials = { imds_endpoint = \"SERVER\" }\n"
             << options.settings;
    return {.plugin = "aws",
            .prefix = "aws:///",
            .settings = std::move(settings).str(),
            .server = std::move(server)};
}

}  // namespace capstan::aws
