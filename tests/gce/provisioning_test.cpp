// Node auto-provisioning: the test cases of the upstream proposal that need a cloud.
#include <algorithm>

#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

using e2e::becomes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

}  // namespace

// TC1 and TC7.
TEST_F(GceDaemon, CreatesAGroupForALargePodAndDeletesItAfterwards) {
    ScenarioOptions options = provisioned();
    options.cpu = "6";
    GceScenario& s = begin(bare_project(), options);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    const std::vector<std::string> made = s.gce().groups();
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made.front(), HasSubstr("nodeautoprovisioning-gce-n2-standard-8-us-"));

    s.scale(0);
    EXPECT_TRUE(becomes(120s, [&] { return s.gce().groups().empty(); }));
    EXPECT_TRUE(becomes(20s, [&] { return s.gce().get("templates").as_object().size() == 1; }))
        << "only the source template remains";
    EXPECT_THAT(s.nodes(), IsEmpty());
}

// TC2.
TEST_F(GceDaemon, CreatesAGroupWithTheLabelOfAPod) {
    ScenarioOptions options = provisioned();
    options.pods = "node_selector = { tier = \"gold\" }\n";
    GceScenario& s = begin(bare_project(), options);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }))
        << "kube-env gives the node its label";
    EXPECT_THAT(s.gce().groups(), SizeIs(1));
    EXPECT_THAT(s.cluster().log(), Not(HasSubstr("FailedToScaleUpGroup")))
        << "the group grows in the pass that creates it";
}

}  // namespace capstan::gce
