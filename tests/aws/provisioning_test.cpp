// Node auto-provisioning: the test cases of the upstream proposal that need a cloud.
#include <algorithm>

#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

using e2e::becomes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> made_groups(const AwsServer& aws) {
    std::vector<std::string> out;
    for (const std::string& group : aws.groups())
        if (group.starts_with("nodeautoprovisioning")) out.push_back(group);
    return out;
}

}  // namespace

// TC1 and TC7.
TEST_F(AwsDaemon, CreatesAGroupForALargePodAndDeletesItAfterwards) {
    ScenarioOptions options = provisioned();
    options.cpu = "6";
    AwsScenario& s = begin(bare_account(), options);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    const std::vector<std::string> made = made_groups(s.aws());
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made.front(), HasSubstr("m5-2xlarge"));
    EXPECT_EQ(s.aws().machines(made.front()).at(0).at("type").as_string(), "m5.2xlarge");

    s.scale(0);
    EXPECT_TRUE(becomes(120s, [&] { return s.aws().groups().empty(); }));
    EXPECT_TRUE(becomes(20s, [&] { return s.aws().calls("DeleteLaunchTemplate").size() == 1; }))
        << "the launch template is deleted";
    EXPECT_THAT(s.nodes(), IsEmpty());
}

// TC2.
TEST_F(AwsDaemon, CreatesAGroupWithTheLabelOfAPod) {
    ScenarioOptions options = provisioned();
    options.pods = "node_selector = { tier = \"gold\" }\n";
    AwsScenario& s = begin(bare_account(), options);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }))
        << "the user data gives the node its label";
    EXPECT_THAT(made_groups(s.aws()), SizeIs(1));
    EXPECT_THAT(s.cluster().log(), Not(HasSubstr("FailedToScaleUpGroup")))
        << "the group grows in the pass that creates it";
}

}  // namespace capstan::aws
