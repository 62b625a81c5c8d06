// Sources of templates, and when they are read again.
#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Described : Account {
    Result<NodeTemplate> describe() {
        if (const auto view = refresh(); !view) return fail(view.error());
        return testing::run(host, cloud().describe(web));
    }
    std::string fingerprint(Duration later = std::chrono::seconds(10)) {
        return next(later)->groups.at(0).template_fingerprint;
    }
};

std::string overrides(const std::string& members) {
    return "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>"
           "lt-1</LaunchTemplateId></LaunchTemplateSpecification><Overrides>" +
           members + "</Overrides></LaunchTemplate></MixedInstancesPolicy>";
}
std::string of_type(const std::string& type) {
    return "<member><InstanceType>" + type + "</InstanceType></member>";
}

TEST(AwsTemplateReader, UsesTheTypeOfTheLaunchTemplate) {
    Described account;
    account.add("web");
    const auto node = account.describe();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->machine_type, "m5.large");
    EXPECT_EQ(node->capacity.amount("cpu"), 2000);
}

TEST(AwsTemplateReader, ReportsWhyAnImageParameterIsNotResolved) {
    Described account;
    account.aws.launch_templates["lt-1"].image = "resolve:ssm:/eks/image";
    account.add("web");
    ASSERT_TRUE(account.describe());
    EXPECT_THAT(account.warnings(),
                Contains(HasSubstr("without its image \"resolve:ssm:/eks/image\": ec2:")));
    EXPECT_EQ(account.aws.calls("DescribeImages"), 0);
    const std::string before = account.fingerprint();
    account.aws.parameters["resolve:ssm:/eks/image"] = "ami-9";
    EXPECT_NE(account.fingerprint(minutes(21)), before) << "it is resolved again";
    ASSERT_TRUE(account.describe());
    EXPECT_EQ(account.aws.requests("DescribeImages").at(0).at("ImageId.1"), "ami-9");
}

TEST(AwsTemplateReader, UsesTheLeastOfEachResourceOfSeveralTypes) {
    Described account;
    account.add("web").more = overrides(of_type("c4.xlarge") + of_type("r4.large"));
    const auto node = account.describe();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->variants, 2);
    EXPECT_EQ(node->capacity.amount("cpu"), 2000);
    EXPECT_EQ(node->capacity.amount("memory"), std::int64_t{7680} << 20);
}

TEST(AwsTemplateReader, FailsForAnUnknownGroup) {
    Described account;
    account.add("db");
    EXPECT_EQ(account.describe().error().code, ErrorCode::not_found);
}

TEST(AwsTemplateReader, ReportsTheFingerprintOfADescribedGroup) {
    Described account;
    account.add("web");
    ASSERT_TRUE(account.refresh());
    EXPECT_EQ(account.fingerprint(), "");
    const auto node = account.describe();
    EXPECT_EQ(account.fingerprint(), node->fingerprint);
    EXPECT_FALSE(node->fingerprint.empty());
}

TEST(AwsTemplateReader, ChangesTheFingerprintOnlyWithTagsOfTheTemplate) {
    Described account;
    account.add("web", 1);
    ASSERT_TRUE(account.describe());
    const std::string before = account.fingerprint();
    account.aws.groups["web"].desired = 2;
    account.aws.groups["web"].tags["owner"] = "b";
    account.aws.launch("web");
    EXPECT_EQ(account.fingerprint(minutes(1)), before);
    account.aws.groups["web"].tags["k8s.io/cluster-autoscaler/node-template/label/pool"] = "web";
    EXPECT_NE(account.fingerprint(minutes(1)), before);
}

TEST(AwsTemplateReader, KeepsTheFingerprintAfterARestart) {
    Described account;
    account.add("web", 1);
    ASSERT_TRUE(account.describe());
    const std::string before = account.fingerprint();
    account.restart();
    ASSERT_TRUE(account.describe());
    EXPECT_EQ(account.fingerprint(), before);
}

TEST(AwsTemplateReader, ResolvesLatestAgainAfterAWhile) {
    Described account;
    account.add("web").version = "$Latest";
    ASSERT_TRUE(account.describe());
    const std::string before = account.fingerprint();
    account.aws.launch_templates["lt-1"] = {.type = "c4.xlarge", .latest = 2};
    EXPECT_EQ(account.fingerprint(), before);
    EXPECT_NE(account.fingerprint(minutes(21)), before);
    EXPECT_EQ(account.describe()->machine_type, "c4.xlarge");
}

TEST(AwsTemplateReader, ResolvesLatestAgainIfAnInstanceHasALaterVersion) {
    Described account;
    account.add("web", 1).version = "$Latest";
    account.aws.groups["web"].instances[0].version = "1";
    ASSERT_TRUE(account.describe());
    EXPECT_EQ(account.next()->machines[0].template_fingerprint, account.fingerprint());
    account.aws.launch_templates["lt-1"].latest = 2;
    account.aws.groups["web"].instances[0].version = "2";
    const auto view = account.next(minutes(1));
    EXPECT_EQ(view->machines[0].template_fingerprint, view->groups[0].template_fingerprint);
}

TEST(AwsTemplateReader, ResolvesLatestAndDefaultAgainAfterAMinute) {
    for (const char* const version : {"$Latest", "$Default", ""}) {
        Described account;
        account.add("web").version = version;
        ASSERT_TRUE(account.describe());
        account.aws.launch_templates["lt-1"] = {.type = "c4.xlarge", .latest = 2};
        std::ignore = account.next();
        EXPECT_NE(account.fingerprint(minutes(1)), "") << version;
        EXPECT_EQ(account.describe()->machine_type, "c4.xlarge") << version;
    }
}

TEST(AwsTemplateReader, ResolvesDefaultAgainIfAnInstanceHasAnotherVersion) {
    Described account;
    FakeGroup& group = account.add("web", 2);
    group.version = "$Default";
    group.instances[0] = {.id = "i-1", .state = "Pending", .version = "2"};
    group.instances[1].version = "2";
    account.aws.launch_templates["lt-1"].latest = 2;
    ASSERT_TRUE(account.describe());
    const std::string before = account.fingerprint();
    account.aws.launch_templates["lt-1"] = {.type = "c4.xlarge", .latest = 1};
    group.instances[1].version = "1";
    EXPECT_NE(account.fingerprint(), before);
    account.aws.forget_calls();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(account.next());
    EXPECT_EQ(account.aws.calls("DescribeLaunchTemplateVersions"), 0) << "the version is known now";
}

TEST(AwsTemplateReader, UsesAnotherVersionOfTheGroupInTheNextPass) {
    Described account;
    account.add("web").version = "1";
    ASSERT_TRUE(account.describe());
    const std::string before = account.fingerprint();
    account.aws.launch_templates["lt-1"] = {.type = "c4.xlarge", .latest = 2};
    account.aws.groups["web"].version = "2";
    EXPECT_NE(account.fingerprint(minutes(1)), before);
    EXPECT_EQ(account.describe()->machine_type, "c4.xlarge");
}

TEST(AwsTemplateReader, ReportsTheVersionOfNewInstances) {
    Described account;
    account.add("web", 1).version = "$Latest";
    account.aws.groups["web"].instances[0].version = "1";
    account.aws.launch_templates["lt-1"].latest = 2;
    const auto view = account.refresh();
    EXPECT_EQ(view->groups[0].debug, "web (0:10), made from lt-1, version 2");
    EXPECT_EQ(view->machines[0].template_fingerprint, "made from lt-1, version 1");
}

TEST(AwsTemplateReader, NeverResolvesANumericVersionAgain) {
    Described account;
    account.add("web");
    ASSERT_TRUE(account.describe());
    account.aws.forget_calls();
    ASSERT_TRUE(account.next(hours(2)));
    EXPECT_EQ(account.aws.calls("DescribeLaunchTemplateVersions"), 0);
}

TEST(AwsTemplateReader, IncludesEksNodeGroupData) {
    Described account;
    FakeGroup& group = account.add("web");
    group.tags["eks:cluster-name"] = "prod";
    group.tags["eks:nodegroup-name"] = "workers";
    account.aws.nodegroups["prod/workers"] =
        R"({"nodegroupName":"workers","clusterName":"prod","labels":{"pool":"a"}})";
    const auto node = account.describe();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->labels.at("pool"), "a");
    const std::string before = account.fingerprint();
    account.aws.nodegroups["prod/workers"] =
        R"({"nodegroupName":"workers","clusterName":"prod","labels":{"pool":"b"}})";
    EXPECT_EQ(account.fingerprint(minutes(1)), before);
    EXPECT_NE(account.fingerprint(minutes(6)), before);
}

TEST(AwsTemplateReader, WarnsAndContinuesWithoutAnUnreadableNodeGroup) {
    Described account;
    FakeGroup& group = account.add("web");
    group.tags["eks:cluster-name"] = "prod";
    group.tags["eks:nodegroup-name"] = "workers";
    ASSERT_TRUE(account.describe());
    EXPECT_THAT(account.warnings(), ElementsAre(HasSubstr("without its EKS node group")));
    account.aws.forget_calls();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(account.next());
    EXPECT_EQ(account.aws.calls("DescribeNodegroup"), 0) << "it is backed off for a while";
}

TEST(AwsTemplateReader, RemembersThatALaunchTemplateIsMissing) {
    Described account;
    account.add("web").launch_template = "lt-9";
    const auto node = account.describe();
    ASSERT_FALSE(node);
    EXPECT_THAT(node.error().message, HasSubstr("group \"web\": "));
    EXPECT_THAT(node.error().message, HasSubstr("lt-9"));
    account.aws.forget_calls();
    EXPECT_FALSE(account.describe());
    EXPECT_EQ(account.aws.calls("DescribeLaunchTemplateVersions"), 0);
    account.aws.launch_templates["lt-9"] = {};
    account.host.advance(minutes(1));
    EXPECT_TRUE(account.describe());
}

TEST(AwsTemplateReader, WarnsAboutTheDateOfBuiltInTypesIfEc2HasNone) {
    Described account;
    account.add("web");
    account.aws.refuse("DescribeInstanceTypes", "UnauthorizedOperation", "not allowed", 99);
    const auto node = account.describe();
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->machine_type, "m5.large");
    EXPECT_THAT(account.warnings(), Contains(HasSubstr("the table of 20")));
}

TEST(AwsTemplateReader, NamesAnUnknownType) {
    Described account;
    account.add("web");
    account.aws.launch_templates["lt-1"].type = "x99.huge";
    const auto node = account.describe();
    ASSERT_FALSE(node);
    EXPECT_THAT(node.error().message, HasSubstr("x99.huge"));
}

TEST(AwsTemplateReader, ReadsNoTypesFromEc2IfDisabled) {
    Described account;
    account.config.static_instance_types = true;
    account.add("web");
    ASSERT_TRUE(account.describe());
    EXPECT_EQ(account.aws.calls("DescribeInstanceTypes"), 0);
}

TEST(AwsTemplateReader, UsesTheMinimaOfRequirementsIfEc2ListsNoTypes) {
    Described account;
    account.add("web").more = overrides(
        "<member><InstanceRequirements><VCpuCount><Min>2</Min></VCpuCount><MemoryMiB><Min>4096"
        "</Min></MemoryMiB></InstanceRequirements></member>");
    const auto node = account.describe();
    ASSERT_TRUE(node) << node.error() << "without EC2 the minima are used";
    EXPECT_EQ(node->capacity.amount("cpu"), 2000);
    EXPECT_EQ(node->capacity.amount("memory"), std::int64_t{4096} << 20);
}

}  // namespace
}  // namespace capstan::aws
