// Node auto-provisioning: the test cases of upstream's proposal that take a real cloud.
#include <algorithm>

#include "gce_story.hpp"

namespace capstan::gce {
namespace {

using e2e::becomes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

}  // namespace

// TC1 and TC7.
TEST_F(GceStories, MakeAGroupForABigPodAndDeleteItAfterIt) {
    StoryOptions options = provisioned();
    options.cpu = "6";
    GceStory& s = begin(bare_project(), options);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    const std::vector<std::string> made = s.gce().groups();
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_THAT(made.front(), HasSubstr("nodeautoprovisioning-gce-n2-standard-8-us-"));

    s.scale(0);
    EXPECT_TRUE(becomes(120s, [&] { return s.gce().groups().empty(); }));
    EXPECT_TRUE(becomes(20s, [&] { return s.gce().ask("templates").as_object().size() == 1; }))
        << "nothing is left behind but the template that others are made of";
    EXPECT_THAT(s.nodes(), IsEmpty());
}

// TC2.
TEST_F(GceStories, MakeAGroupWithTheLabelThatAPodAsksFor) {
    StoryOptions options = provisioned();
    options.pods = "node_selector = { tier = \"gold\" }\n";
    GceStory& s = begin(bare_project(), options);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }))
        << "the label is on the node by the machine's own kube-env";
    EXPECT_THAT(s.gce().groups(), SizeIs(1));
    EXPECT_THAT(s.cluster().log(), Not(HasSubstr("FailedToScaleUpGroup")))
        << "it grows in the pass that makes it";
}

}  // namespace capstan::gce
