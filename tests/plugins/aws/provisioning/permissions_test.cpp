// How `capstan doctor` checks the permissions of an account without changing anything.
#include "provisioning/permissions.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include <capstan/testing/run_task.hpp>

#include "fake_account.hpp"
#include "wire/aws_client.hpp"
#include "wire/static_credentials.hpp"

namespace capstan::aws {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using testing::run;
using Kind = RightVerdict::Kind;

AutoScalingGroup tagged_group(const std::string& named) {
    return {.name = named,
            .arn = "arn:aws:autoscaling:eu-central-1:1:autoScalingGroup:u:autoScalingGroupName/" +
                   named,
            .tags = {{"k8s.io/cluster-autoscaler/prod", "owned"}}};
}

struct AwsPermissions : ::testing::Test {
    FakeHost host{};
    FakeAccount account{host};
    StaticCredentials credentials{{.access_key_id = "AKIA1", .secret_access_key = "secret"}};
    AwsClient client{host.host(), {.region = "eu-central-1"}, credentials};
    RightsQuestion question{
        .region = "eu-central-1", .groups = {tagged_group("web")}, .cluster = "prod"};

    std::vector<RightVerdict> verdicts() {
        const auto checked = run(host, check_rights(host.host(), client, question));
        EXPECT_TRUE(checked) << checked.error();
        return checked.value_or(std::vector<RightVerdict>());
    }
    std::vector<std::string> actions(Kind kind) {
        std::vector<std::string> out;
        for (const RightVerdict& verdict : verdicts())
            if (verdict.kind == kind) out.push_back(verdict.action);
        return out;
    }
    Result<void> check_all() { return run(host, require_rights(host.host(), client, question)); }
};

TEST_F(AwsPermissions, AreThoseThatTheSettingsNeed) {
    EXPECT_THAT(actions(Kind::granted),
                ElementsAre("autoscaling:DescribeAutoScalingGroups",
                            "autoscaling:DescribeLaunchConfigurations",
                            "autoscaling:DescribeScalingActivities", "ec2:DescribeImages",
                            "ec2:DescribeInstanceTypes", "ec2:DescribeLaunchTemplateVersions",
                            "ec2:GetInstanceTypesFromInstanceRequirements", "ec2:DescribeInstances",
                            "autoscaling:SetDesiredCapacity",
                            "autoscaling:TerminateInstanceInAutoScalingGroup",
                            "autoscaling:SetInstanceProtection"));
    question.failed_activities = false;
    EXPECT_THAT(actions(Kind::granted), Not(Contains("autoscaling:DescribeScalingActivities")));
    question.groups[0].tags.insert({{"eks:cluster-name", "prod"}, {"eks:nodegroup-name", "web"}});
    EXPECT_THAT(actions(Kind::granted), Contains("eks:DescribeNodegroup"));
    question.event_queue_url = "https://sqs.eu-central-1.amazonaws.com/111122223333/capstan";
    EXPECT_THAT(actions(Kind::granted),
                AllOf(Contains("sqs:ReceiveMessage"), Contains("sqs:DeleteMessage")));
    question.provisioning = true;
    EXPECT_THAT(actions(Kind::granted),
                AllOf(Contains("autoscaling:CreateAutoScalingGroup"),
                      Contains("ec2:CreateLaunchTemplate"), Contains("ec2:DescribeSubnets")));
}

TEST_F(AwsPermissions, AreCheckedWithoutChanges) {
    question.provisioning = true;
    question.event_queue_url = "https://sqs.eu-central-1.amazonaws.com/111122223333/capstan";
    verdicts();
    for (const char* action :
         {"SetDesiredCapacity", "TerminateInstanceInAutoScalingGroup", "SetInstanceProtection",
          "CreateAutoScalingGroup", "DeleteAutoScalingGroup", "CreateLaunchTemplate",
          "DeleteLaunchTemplate", "ReceiveMessage"})
        EXPECT_EQ(account.count(action), 0u) << action;
    for (const HttpRequest& request : host.http().requests())
        if (request.url.find("//ec2.") != std::string::npos)
            EXPECT_THAT(request.body, HasSubstr("DryRun=true"));
}

TEST_F(AwsPermissions, AreSimulatedForTheRoleWithTheTagsOfTheGroups) {
    verdicts();
    ASSERT_EQ(account.simulations.size(), 1u);
    const Labels& request = account.simulations[0];
    EXPECT_THAT(request,
                Contains(Pair("PolicySourceArn", "arn:aws:iam::111122223333:role/capstan-prod")));
    EXPECT_THAT(request, Contains(Pair("ResourceArns.member.1", question.groups[0].arn)));
    std::map<std::string, std::string> context;
    for (int i = 1;
         request.contains("ContextEntries.member." + std::to_string(i) + ".ContextKeyName"); ++i) {
        const std::string entry = "ContextEntries.member." + std::to_string(i);
        context[request.at(entry + ".ContextKeyName")] =
            request.at(entry + ".ContextKeyValues.member.1");
    }
    EXPECT_THAT(context,
                AllOf(Contains(Pair("aws:RequestedRegion", "eu-central-1")),
                      Contains(Pair("aws:ResourceTag/k8s.io/cluster-autoscaler/prod", "owned"))));
}

TEST_F(AwsPermissions, NameActionAndResourceOfARefusal) {
    account.decisions["autoscaling:SetDesiredCapacity"] = "explicitDeny";
    account.refusals["DescribeImages"] = "UnauthorizedOperation";
    account.refusals["DescribeScalingActivities"] = "AccessDenied";
    const auto demanded = check_all();
    ASSERT_FALSE(demanded);
    EXPECT_EQ(demanded.error().code, ErrorCode::permission);
    EXPECT_THAT(demanded.error().message,
                AllOf(HasSubstr("autoscaling:SetDesiredCapacity on " + question.groups[0].arn +
                                " is denied: IAM returned explicitDeny"),
                      HasSubstr("ec2:DescribeImages is denied"),
                      HasSubstr("autoscaling:DescribeScalingActivities is denied"),
                      Not(HasSubstr("TerminateInstance"))));
}

TEST_F(AwsPermissions, WarnIfInstancesCannotBeProtected) {
    account.decisions["autoscaling:SetInstanceProtection"] = "implicitDeny";
    EXPECT_TRUE(check_all());
    EXPECT_THAT(format_recommended(verdicts()),
                ElementsAre(AllOf(HasSubstr("recommended: autoscaling:SetInstanceProtection on " +
                                            question.groups[0].arn + " is denied"),
                                  HasSubstr("while a failed request is cancelled"))));
    EXPECT_THAT(host.log_lines().back().message, HasSubstr("recommended: "));
}

TEST_F(AwsPermissions, WarnIfInstancesCannotBeDescribed) {
    account.refusals["DescribeInstances"] = "UnauthorizedOperation";
    EXPECT_TRUE(check_all());
    EXPECT_THAT(format_recommended(verdicts()),
                ElementsAre(AllOf(HasSubstr("recommended: ec2:DescribeInstances is denied"),
                                  HasSubstr("are matched by address"))));
}

TEST_F(AwsPermissions, AreNotCheckedIfSimulationIsNotAllowed) {
    account.refusals["SimulatePrincipalPolicy"] = "AccessDenied";
    question.groups.push_back(tagged_group("batch"));
    EXPECT_TRUE(check_all()) << "an unknown permission is not an error";
    EXPECT_EQ(account.count("SimulatePrincipalPolicy"), 1u) << "one attempt is enough";
    const auto unchecked = format_unchecked(verdicts());
    ASSERT_EQ(unchecked.size(), 1u);
    EXPECT_THAT(unchecked[0], AllOf(HasSubstr("not checked: autoscaling:SetDesiredCapacity, "
                                              "autoscaling:TerminateInstanceInAutoScalingGroup, "
                                              "autoscaling:SetInstanceProtection: "),
                                    HasSubstr("iam:SimulatePrincipalPolicy")));
    EXPECT_THAT(host.log_lines().back().message, HasSubstr("not checked"));
}

TEST_F(AwsPermissions, AreNotDeniedByAnUnknownCondition) {
    account.decisions["autoscaling:SetDesiredCapacity"] = "implicitDeny";
    EXPECT_EQ(check_all().error().code, ErrorCode::permission);
    account.missing_context = "aws:PrincipalTag/team";
    EXPECT_TRUE(check_all());
    EXPECT_THAT(actions(Kind::not_checked), ElementsAre("autoscaling:SetDesiredCapacity"));
    EXPECT_THAT(format_unchecked(verdicts()),
                ElementsAre(HasSubstr("a policy condition requires aws:PrincipalTag/team")));
}

TEST_F(AwsPermissions, AreDeniedIfAGroupLacksTheRequiredTag) {
    question.groups[0].tags = {{"k8s.io/cluster-autoscaler/enabled", "true"}};
    account.decisions["autoscaling:SetDesiredCapacity"] = "implicitDeny";
    account.missing_context = "aws:ResourceTag/k8s.io/cluster-autoscaler/prod";
    const auto demanded = check_all();
    ASSERT_FALSE(demanded);
    EXPECT_EQ(demanded.error().code, ErrorCode::permission);
    EXPECT_EQ(
        demanded.error().message,
        "autoscaling:SetDesiredCapacity on " + question.groups[0].arn +
            " is denied: group \"web\" does not have the tag \"k8s.io/cluster-autoscaler/prod\", "
            "which a policy condition requires; tag the group");
}

TEST_F(AwsPermissions, AreCheckedForAGroupWithOtherTags) {
    for (int i = 0; i < 11; ++i) question.groups.push_back(tagged_group("g" + std::to_string(i)));
    question.groups.back().tags = {{"k8s.io/cluster-autoscaler/enabled", "true"}};
    verdicts();
    ASSERT_EQ(account.simulations.size(), 10u);
    EXPECT_EQ(account.simulations[1].at("ResourceArns.member.1"), tagged_group("g10").arn);
}

TEST_F(AwsPermissions, AreUnknownForTagsOfFutureGroups) {
    question.provisioning = true;
    account.decisions["autoscaling:DeleteAutoScalingGroup"] = "implicitDeny";
    account.missing_context = "aws:ResourceTag/team";
    EXPECT_TRUE(check_all());
    EXPECT_THAT(actions(Kind::not_checked), ElementsAre("autoscaling:DeleteAutoScalingGroup"));
}

TEST_F(AwsPermissions, AreNotCheckedForCallersWithoutPolicies) {
    for (const char* caller :
         {"arn:aws:iam::111122223333:root", "arn:aws:sts::111122223333:federated-user/alice"}) {
        account.caller = caller;
        EXPECT_THAT(actions(Kind::not_checked),
                    ElementsAre("autoscaling:SetDesiredCapacity",
                                "autoscaling:TerminateInstanceInAutoScalingGroup",
                                "autoscaling:SetInstanceProtection"));
    }
    EXPECT_EQ(account.count("SimulatePrincipalPolicy"), 0u);
    account.caller = "arn:aws:iam::111122223333:user/alice";
    EXPECT_THAT(actions(Kind::not_checked), IsEmpty());
}

TEST_F(AwsPermissions, AreNotCheckedWithoutGroups) {
    question.groups.clear();
    EXPECT_THAT(format_unchecked(verdicts()), ElementsAre(HasSubstr("no group found to check")));
    EXPECT_TRUE(check_all());
}

TEST_F(AwsPermissions, AreCheckedForTenGroups) {
    for (int i = 0; i < 11; ++i) question.groups.push_back(tagged_group("g" + std::to_string(i)));
    verdicts();
    EXPECT_EQ(account.simulations.size(), 10u);
    EXPECT_THAT(format_unchecked(verdicts()),
                ElementsAre(HasSubstr("only ten groups are checked")));
}

TEST_F(AwsPermissions, CannotBeCheckedWithoutCredentials) {
    account.refusals["GetCallerIdentity"] = "InvalidClientTokenId";
    const auto checked = run(host, check_rights(host.host(), client, question));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::unauthenticated);
}

TEST(QueueArn, IsReadFromTheUrl) {
    EXPECT_EQ(
        queue_arn("https://sqs.eu-central-1.amazonaws.com/111122223333/capstan", "eu-central-1"),
        "arn:aws:sqs:eu-central-1:111122223333:capstan");
    EXPECT_EQ(queue_arn("https://sqs.cn-north-1.amazonaws.com.cn/111122223333/q", "cn-north-1"),
              "arn:aws-cn:sqs:cn-north-1:111122223333:q");
    for (const char* url : {"", "https://sqs.eu-central-1.amazonaws.com", "https://a.example/b/c",
                            "https://sqs.eu-central-1.amazonaws.com/111122223333/", "/"})
        EXPECT_EQ(queue_arn(url, "eu-central-1"), "") << url;
}

}  // namespace
}  // namespace capstan::aws
