// The policies of deploy/aws allow exactly the actions of the plugin, on as few resources as
// possible.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <capstan/json.hpp>

#include "provisioning/needed_permissions.hpp"

namespace capstan::aws {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAreArray;

std::string text_of_file(const fs::path& path) {
    std::ifstream in(path);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

Json policy(const std::string& name) {
    const Result<Json> read = parse_json(text_of_file("deploy/aws/" + name));
    EXPECT_TRUE(read) << name << ": " << read.error();
    return read.value_or(Json());
}

/// IAM accepts a string for a list with one item.
std::vector<std::string> texts(const Json* value) {
    if (value == nullptr) return {};
    if (value->is_text()) return {value->text()};
    std::vector<std::string> out;
    for (const Json& item : value->items()) out.push_back(item.text());
    return out;
}

/// "StringEquals aws:RequestedRegion=REGION" for each test of a condition.
std::vector<std::string> conditions(const Json* value) {
    std::vector<std::string> out;
    if (value == nullptr) return out;
    for (const auto& [test, keys] : value->members())
        for (const auto& [key, values] : keys.members()) {
            std::string all;
            for (const std::string& text : texts(&values)) all += (all.empty() ? "" : "|") + text;
            out.push_back(test + " " + key + "=" + all);
        }
    return out;
}

struct Allowed {
    std::vector<std::string> resources{}, conditions{};
    bool operator==(const Allowed&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Allowed& allowed) {
    for (const std::string& text : allowed.resources) out << text << '\n';
    for (const std::string& text : allowed.conditions) out << "  if " << text << '\n';
    return out;
}

/// What each statement allows, by action.
std::map<std::string, std::vector<Allowed>> allowed_by(const std::string& name) {
    std::map<std::string, std::vector<Allowed>> out;
    const Json document = policy(name);
    EXPECT_EQ(document.text_at({"Version"}), "2012-10-17") << name;
    const Json* const statements = document.find("Statement");
    if (statements == nullptr) return out;
    for (const Json& statement : statements->items()) {
        EXPECT_EQ(statement.text_at({"Effect"}), "Allow");
        for (const std::string& action : texts(statement.find("Action")))
            out[action].push_back(
                {texts(statement.find("Resource")), conditions(statement.find("Condition"))});
    }
    return out;
}

const std::map<std::string, std::set<RightOf>>& policies() {
    static const std::map<std::string, std::set<RightOf>> all{
        {"policy.json",
         {RightOf::groups, RightOf::protection, RightOf::addresses, RightOf::nodegroups,
          RightOf::activities}},
        {"policy_provisioning.json", {RightOf::provisioning}},
        {"policy_queue.json", {RightOf::queue}},
        {"policy_doctor.json", {RightOf::doctor}}};
    return all;
}

TEST(IamPolicies, AllowExactlyTheNeededActions) {
    for (const auto& [name, parts] : policies()) {
        std::set<std::string> needed, allowed;
        for (const NeededRight& right : needed_rights())
            if (parts.contains(right.of)) needed.emplace(right.action);
        for (const auto& [action, statements] : allowed_by(name)) allowed.insert(action);
        EXPECT_EQ(allowed, needed) << name;
    }
}

constexpr const char* any_group =
    "arn:aws:autoscaling:REGION:ACCOUNT:autoScalingGroup:*:autoScalingGroupName/*";
constexpr const char* made_group =
    "arn:aws:autoscaling:REGION:ACCOUNT:autoScalingGroup:*:autoScalingGroupName/"
    "nodeautoprovisioning-*.CLUSTER";
constexpr const char* launch_template = "arn:aws:ec2:REGION:ACCOUNT:launch-template/*";
constexpr const char* in_region = "StringEquals aws:RequestedRegion=REGION";
constexpr const char* has_cluster_tag = "StringEquals aws:ResourceTag/capstan.io/made-for=CLUSTER";
constexpr const char* sets_cluster_tag = "StringEquals aws:RequestTag/capstan.io/made-for=CLUSTER";

/// The strictest possible restrictions by action. Describe actions of EC2 and Auto Scaling cannot
/// be restricted to resources.
const std::map<std::string, std::vector<Allowed>>& expected_statements() {
    const Allowed reads{{"*"}, {in_region}};
    const Allowed scales{{any_group},
                         {"StringEquals aws:ResourceTag/k8s.io/cluster-autoscaler/CLUSTER=owned"}};
    const Allowed queue{{"arn:aws:sqs:REGION:ACCOUNT:capstan-CLUSTER"}, {}};
    static const std::map<std::string, std::vector<Allowed>> all{
        {"autoscaling:DescribeAutoScalingGroups", {reads}},
        {"autoscaling:DescribeLaunchConfigurations", {reads}},
        {"autoscaling:DescribeScalingActivities", {reads}},
        {"ec2:DescribeImages", {reads}},
        {"ec2:DescribeInstances", {reads}},
        {"ec2:DescribeInstanceTypes", {reads}},
        {"ec2:DescribeLaunchTemplateVersions", {reads}},
        {"ec2:GetInstanceTypesFromInstanceRequirements", {reads}},
        {"ec2:DescribeSubnets", {reads}},
        {"ec2:DescribeInstanceTypeOfferings", {reads}},
        {"autoscaling:SetDesiredCapacity", {scales}},
        {"autoscaling:TerminateInstanceInAutoScalingGroup", {scales}},
        {"autoscaling:SetInstanceProtection", {scales}},
        {"eks:DescribeNodegroup", {{{"arn:aws:eks:REGION:ACCOUNT:nodegroup/CLUSTER/*/*"}, {}}}},
        {"autoscaling:CreateAutoScalingGroup",
         {{{made_group},
           {sets_cluster_tag, "Bool autoscaling:LaunchTemplateVersionSpecified=true"}}}},
        {"autoscaling:CreateOrUpdateTags", {{{made_group}, {sets_cluster_tag}}}},
        {"autoscaling:DeleteAutoScalingGroup", {{{made_group}, {has_cluster_tag}}}},
        {"ec2:CreateLaunchTemplate", {{{launch_template}, {sets_cluster_tag}}}},
        {"ec2:DeleteLaunchTemplate", {{{launch_template}, {has_cluster_tag}}}},
        {"ec2:CreateTags",
         {{{launch_template, "arn:aws:ec2:REGION:ACCOUNT:instance/*",
            "arn:aws:ec2:REGION:ACCOUNT:volume/*",
            "arn:aws:ec2:REGION:ACCOUNT:network-interface/*"},
           {"StringEquals ec2:CreateAction=CreateLaunchTemplate|RunInstances"}}}},
        {"ec2:RunInstances",
         {{{launch_template}, {has_cluster_tag}},
          {{"arn:aws:ec2:REGION::image/*", "arn:aws:ec2:REGION::snapshot/*",
            "arn:aws:ec2:REGION:ACCOUNT:image/*", "arn:aws:ec2:REGION:ACCOUNT:snapshot/*",
            "arn:aws:ec2:REGION:ACCOUNT:instance/*", "arn:aws:ec2:REGION:ACCOUNT:volume/*",
            "arn:aws:ec2:REGION:ACCOUNT:network-interface/*", "arn:aws:ec2:REGION:ACCOUNT:subnet/*",
            "arn:aws:ec2:REGION:ACCOUNT:security-group/*", "arn:aws:ec2:REGION:ACCOUNT:key-pair/*"},
           {std::string("ArnLike ec2:LaunchTemplate=") + launch_template}}}},
        {"iam:PassRole",
         {{{"arn:aws:iam::ACCOUNT:role/NODE_ROLE"},
           {"StringEquals iam:PassedToService=ec2.amazonaws.com"}}}},
        {"sqs:ReceiveMessage", {queue}},
        {"sqs:DeleteMessage", {queue}},
        {"iam:SimulatePrincipalPolicy", {{{"arn:aws:iam::ACCOUNT:role/capstan-CLUSTER"}, {}}}}};
    return all;
}

TEST(IamPolicies, RestrictEachActionAsFarAsAwsAllows) {
    std::map<std::string, std::vector<Allowed>> all;
    for (const auto& [name, parts] : policies()) all.merge(allowed_by(name));
    for (const auto& [action, statements] : expected_statements())
        EXPECT_THAT(all[action], ElementsAreArray(statements)) << action;
    EXPECT_EQ(all.size(), expected_statements().size());
}

/// Actions in the sources, in the spelling of AWS.
std::set<std::string> actions_in_sources() {
    const std::regex literal(
        R"re("(?:AmazonSQS\.)?((?:Describe|Get|Set|Terminate|Create|Delete|Receive|Simulate|Assume)[A-Z]\w+)")re");
    // The table of needed permissions and the code that checks them name actions that others call.
    const std::set<std::string> tables{"needed_permissions.cpp", "permissions.cpp"};
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator("plugins/aws")) {
        if (entry.path().extension() != ".cpp" || tables.contains(entry.path().filename()))
            continue;
        const std::string text = text_of_file(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
            out.insert((*at)[1]);
    }
    // The permission of a batch action is that of the single action.
    if (out.erase("DeleteMessageBatch") > 0) out.insert("DeleteMessage");
    return out;
}

TEST(IamPolicies, CoverEveryActionInTheSources) {
    // These need no policy: GetCallerIdentity is always allowed, and with the others Capstan
    // assumes its role.
    std::set<std::string> expected{"GetCallerIdentity", "AssumeRole", "AssumeRoleWithWebIdentity"};
    for (const NeededRight& right : needed_rights())
        if (right.is_called) expected.emplace(bare_action(right.action));
    EXPECT_EQ(actions_in_sources(), expected);
}

TEST(IamPolicies, TrustTheServiceAccountOfTheCluster) {
    const Json irsa = policy("trust_irsa.json");
    const Json& by_token = irsa.find("Statement")->items().front();
    EXPECT_EQ(texts(by_token.find("Action")),
              (std::vector<std::string>{"sts:AssumeRoleWithWebIdentity"}));
    EXPECT_EQ(conditions(by_token.find("Condition")),
              (std::vector<std::string>{
                  "StringEquals OIDC_PROVIDER:sub=system:serviceaccount:kube-system:capstan",
                  "StringEquals OIDC_PROVIDER:aud=sts.amazonaws.com"}));
    const Json identity = policy("trust_pod_identity.json");
    const Json& by_agent = identity.find("Statement")->items().front();
    EXPECT_EQ(by_agent.text_at({"Principal", "Service"}), "pods.eks.amazonaws.com");
    EXPECT_EQ(conditions(by_agent.find("Condition")).size(), 4u);
}

TEST(QueueStack, ForwardsTheEventsOfTerminatingInstances) {
    const Json stack = policy("queue.json");
    std::set<std::string> events, may_send;
    for (const auto& [name, resource] : stack.find("Resources")->members()) {
        if (resource.text_at({"Type"}) != "AWS::Events::Rule") continue;
        for (const std::string& type :
             texts(resource.find({"Properties", "EventPattern", "detail-type"})))
            events.insert(type);
        EXPECT_EQ(resource.find({"Properties", "Targets"})->items().size(), 1u) << name;
        may_send.insert(name);
    }
    EXPECT_EQ(events,
              (std::set<std::string>{"EC2 Spot Instance Interruption Warning",
                                     "EC2 Instance Rebalance Recommendation", "AWS Health Event",
                                     "EC2 Instance State-change Notification",
                                     "EC2 Instance-terminate Lifecycle Action"}));
    const Json* const statements =
        stack.find({"Resources", "QueuePolicy", "Properties", "PolicyDocument", "Statement"});
    std::set<std::string> senders;
    const Json* const rules =
        statements->items().front().find({"Condition", "ArnEquals", "aws:SourceArn"});
    for (const Json& rule : rules->items())
        senders.insert(rule.find("Fn::GetAtt")->items().front().text());
    EXPECT_EQ(senders, may_send) << "exactly these rules may send to the queue";
}

}  // namespace
}  // namespace capstan::aws
