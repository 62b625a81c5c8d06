// Prints requests, responses and parsed results of each API call: a line of JSON for each case,
// {"case", "requests", "answers", "parsed"}, for model_oracle.py.
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>

#include <capstan/time_text.hpp>

#include "api/queue.hpp"
#include "credentials/sts_roles.hpp"
#include "exchange_json.hpp"
#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

void print(const std::string& name, ScriptedAws& aws, Json parsed) {
    Json requests = Json::array(), responses = Json::array();
    for (const AwsRequest& one : aws.requests()) {
        Json headers = Json::object();
        for (const auto& [key, value] : one.request.headers) headers.set(key, value);
        requests.append(Json::object({{"method", one.request.method},
                                      {"url", one.request.url},
                                      {"headers", std::move(headers)},
                                      {"body", one.request.body}}));
    }
    for (const testing::Exchange& one : aws.host().http().conversation())
        responses.append(Json::object({{"status", one.reply->status}, {"body", one.reply->body}}));
    std::cout << to_string(Json::object({{"case", name},
                                         {"requests", std::move(requests)},
                                         {"answers", std::move(responses)},
                                         {"parsed", std::move(parsed)}}))
              << '\n';
}

template <class T>
void show(const std::string& name, ScriptedAws& aws, Task<T> task) {
    const Result<T> result = aws.run(std::move(task));
    if (!result) throw Failure(within(name, result.error()));
    if constexpr (std::is_void_v<T>) {
        print(name, aws, Json());
    } else {
        print(name, aws, json_of(*result));
    }
}

std::vector<std::string> many_names(int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back("group " + std::to_string(i) + " & ü");
    return out;
}

void read_groups() {
    ScriptedAws pages;
    pages.file("DescribeAutoScalingGroups", "groups_page_1.xml")
        .file("DescribeAutoScalingGroups", "groups_page_2.xml");
    show("find_groups", pages,
         AutoScalingApi(pages.client())
             .find_groups({{.key = "k8s.io/cluster-autoscaler/enabled"},
                           {.key = "team", .value = "web & shop"},
                           {.key = "empty", .value = ""}}));
    ScriptedAws names;
    names.file("DescribeAutoScalingGroups", "groups_page_2.xml");
    show("describe_groups", names, AutoScalingApi(names.client()).describe_groups(many_names(250)));
    ScriptedAws activities;
    activities.file("DescribeScalingActivities", "activities.xml");
    const Time since = *parse_rfc3339("2026-11-26T03:30:00.5Z");
    show("describe_activities", activities,
         AutoScalingApi(activities.client()).describe_activities("spot-web", since));
    ScriptedAws configurations;
    configurations.file("DescribeLaunchConfigurations", "launch_configurations.xml");
    show("describe_launch_configurations", configurations,
         AutoScalingApi(configurations.client()).describe_launch_configurations(many_names(51)));
}

void change_groups() {
    ScriptedAws desired, protect, terminate, remove;
    desired.file("SetDesiredCapacity", "set_desired_capacity.xml");
    show("set_desired_capacity", desired,
         AutoScalingApi(desired.client()).set_desired_capacity("spot-web", 3));
    protect.file("SetInstanceProtection", "set_instance_protection.xml");
    show("set_instance_protection", protect,
         AutoScalingApi(protect.client())
             .set_instance_protection("spot-web", {"i-00000000000000001"}, true));
    terminate.file("TerminateInstanceInAutoScalingGroup", "terminate.xml");
    show("terminate_instance", terminate,
         AutoScalingApi(terminate.client()).terminate_instance("i-00000000000000001", true));
    remove.file("DeleteAutoScalingGroup", "delete_group.xml");
    show("delete_group", remove, AutoScalingApi(remove.client()).delete_group("made"));
    for (const bool spot : {false, true}) {
        ScriptedAws create;
        create.file("CreateAutoScalingGroup", "create_group.xml");
        const AutoScalingApi::NewGroup group{
            .name = "made",
            .launch_template = {.name = "made-template", .version = "1"},
            .subnets = {"subnet-0a", "subnet-0b"},
            .max = 7,
            .tags = {{"owner", "capstan"}},
            .propagated_tags = {{"Name", ""}},
            .spot = spot,
            .instance_type = "m5.large"};
        show(spot ? "create_spot_group" : "create_group", create,
             AutoScalingApi(create.client()).create_group(group));
    }
}

void read_ec2() {
    for (const char* name : {"launch_template", "launch_template_requirements"}) {
        ScriptedAws aws;
        aws.file("DescribeLaunchTemplateVersions", std::string(name) + ".xml")
            .file("DescribeLaunchTemplateVersions", "launch_template_resolved.xml");
        show(
            name, aws,
            Ec2Api(aws.client()).describe_launch_template_version({.name = "gpu", .version = "4"}));
    }
    ScriptedAws images, types, some_types, subnets, addresses, offerings;
    images.file("DescribeImages", "images.xml");
    show(
        "describe_images", images,
        Ec2Api(images.client()).describe_images({"ami-0bbbbbbbbbbbbbbbb", "ami-0windows00000000"}));
    types.file("DescribeInstanceTypes", "instance_types.xml");
    show("describe_instance_types", types, Ec2Api(types.client()).describe_instance_types({}));
    some_types.file("DescribeInstanceTypes", "instance_types.xml");
    show("describe_instance_types_by_name", some_types,
         Ec2Api(some_types.client()).describe_instance_types({"c4.xlarge", "p4d.24xlarge"}));
    subnets.file("DescribeSubnets", "subnets.xml");
    show("find_subnets", subnets,
         Ec2Api(subnets.client()).find_subnets({{"kubernetes.io/cluster/prod", "owned"}}));
    addresses.file("DescribeInstances", "instances.xml");
    show("describe_addresses", addresses,
         Ec2Api(addresses.client())
             .describe_addresses({"i-00000000000000001", "i-00000000000000002"}));
    offerings.file("DescribeInstanceTypeOfferings", "type_offerings.xml");
    show("describe_type_offerings", offerings,
         Ec2Api(offerings.client()).describe_type_offerings());
}

/// Requirements of a launch template and of a group. EC2 and Auto Scaling spell them differently.
void read_by_requirements() {
    ScriptedAws template_source;
    template_source.file("DescribeLaunchTemplateVersions", "launch_template_requirements.xml");
    const auto data = template_source.run(
        Ec2Api(template_source.client()).describe_launch_template_version({.name = "abis"}));
    ScriptedAws group_source;
    group_source.file("DescribeAutoScalingGroups", "groups_page_1.xml")
        .file("DescribeAutoScalingGroups", "groups_page_2.xml");
    const auto groups =
        group_source.run(AutoScalingApi(group_source.client()).find_groups({{.key = "any"}}));
    const InstanceRequirements of_group =
        groups->groups.front().mixed.value().overrides.front().requirements.value();
    int number = 0;
    for (const InstanceRequirements& wanted : {data->requirements.value(), of_group}) {
        ScriptedAws aws;
        aws.file("GetInstanceTypesFromInstanceRequirements", "types_by_requirements.xml");
        show("find_types_" + std::to_string(++number), aws,
             Ec2Api(aws.client()).find_types(wanted, "x86_64", "hvm"));
    }
}

void change_ec2() {
    for (const char* source : {"launch_template", "launch_template_requirements"}) {
        ScriptedAws aws;
        aws.file("DescribeLaunchTemplateVersions", std::string(source) + ".xml")
            .file("CreateLaunchTemplate", "create_launch_template.xml");
        const Ec2Api::NewLaunchTemplate made{.name = "capstan-m5.large",
                                             .source = {.name = "gpu"},
                                             .instance_type = "m5.large",
                                             .tags = {{"owner", "capstan"}},
                                             .instance_tags = {{"Name", "made"}}};
        show("create_from_" + std::string(source), aws,
             Ec2Api(aws.client()).create_launch_template(made));
    }
    ScriptedAws remove;
    remove.file("DeleteLaunchTemplate", "delete_launch_template.xml");
    show("delete_launch_template", remove, Ec2Api(remove.client()).delete_launch_template("made"));
    for (const char* action :
         {"DescribeLaunchTemplateVersions", "DescribeImages", "DescribeInstanceTypes",
          "GetInstanceTypesFromInstanceRequirements", "DescribeInstances", "DescribeSubnets",
          "DescribeInstanceTypeOfferings", "CreateLaunchTemplate", "DeleteLaunchTemplate"}) {
        ScriptedAws aws;
        aws.on(action, ec2_error("DryRunOperation", "Request would have succeeded."), 412);
        const auto refused = aws.run(Ec2Api(aws.client()).dry_run(action));
        if (!refused || *refused) throw Failure(ErrorCode::internal, "a dry run is refused");
        print(std::string("dry_run_") + action, aws, Json());
    }
}

void read_others() {
    ScriptedAws eks, sts, iam;
    eks.file("GET /clusters/prod%20%26/node-groups/workers", "nodegroup.json");
    show("describe_nodegroup", eks, EksApi(eks.client()).describe_nodegroup("prod &", "workers"));
    sts.file("GetCallerIdentity", "caller_identity.xml");
    show("get_caller_identity", sts, StsApi(sts.client()).get_caller_identity());
    iam.file("SimulatePrincipalPolicy", "simulated_policy.xml");
    const Simulation simulation{
        .principal_arn = "arn:aws:iam::123456789012:role/capstan",
        .actions = {"autoscaling:SetDesiredCapacity", "ec2:RunInstances"},
        .resource = "*",
        .context = {{"aws:ResourceTag/team", "web"}, {launch_template_version_key, "true"}}};
    show("simulate_policy", iam, simulate_policy(iam.client(), simulation));
}

/// An environment without variables; every file has a web identity token.
class TokenAlone : public Environment {
public:
    Task<Variables> variables() override { co_return Variables(); }
    Task<std::string> read_file(std::string) override { co_return std::string("e30.e30.c2ln\n"); }
};

void assume_roles() {
    const RoleRequest wanted{.role_arn = "arn:aws:iam::123456789012:role/scaler",
                             .external_id = "prod",
                             .duration_seconds = 3600,
                             .source = "test"};
    TokenAlone environment;
    ScriptedAws by_key, by_token;
    const auto make_lookup = [&](ScriptedAws& aws) {
        return std::make_shared<CredentialLookup>(
            CredentialLookup{aws.host().host(), {.region = "eu-central-1"}, &environment});
    };
    by_key.file("AssumeRole", "assume_role.xml");
    show("assume_role", by_key,
         assume_role(make_lookup(by_key),
                     {.access_key_id = "AKIDEXAMPLE", .secret_access_key = "a"}, wanted));
    by_token.file("AssumeRoleWithWebIdentity", "assume_role_by_token.xml");
    show("assume_role_by_token", by_token,
         assume_role_by_token(make_lookup(by_token), "token", wanted));
}

void receive_messages() {
    ScriptedAws aws;
    aws.file("AmazonSQS.ReceiveMessage", "messages.json")
        .on("AmazonSQS.ReceiveMessage", "{}")
        .file("AmazonSQS.DeleteMessageBatch", "deleted_messages.json");
    NoticeQueue queue(aws.host().host(), aws.client(),
                      {.url = "https://sqs.eu-central-1.amazonaws.com/123456789012/leaving"});
    queue.start();
    aws.host().run();
    print("queue", aws, Json(static_cast<std::int64_t>(queue.size())));
    if (!aws.host().stop()) throw Failure(ErrorCode::internal, "the host does not stop");
}

}  // namespace
}  // namespace capstan::aws

int main() {
    using namespace capstan::aws;
    try {
        read_groups();
        change_groups();
        read_ec2();
        read_by_requirements();
        change_ec2();
        read_others();
        assume_roles();
        receive_messages();
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << '\n';
        return 1;
    }
}
