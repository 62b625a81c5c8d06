// Managed node groups of EKS: their labels and taints are on no tag of the Auto Scaling group.
#include "aws_story.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::SizeIs;

std::vector<Making> make_cluster(const std::vector<std::string>& nodegroups) {
    std::vector<Making> calls{{"eks",
                               "CreateCluster",
                               {{"name", cluster_name},
                                {"roleArn", "arn:aws:iam::123456789012:role/eks"},
                                {"resourcesVpcConfig", json::object{}}}}};
    for (const std::string& name : nodegroups)
        calls.push_back({"eks",
                         "CreateNodegroup",
                         {{"clusterName", cluster_name},
                          {"nodegroupName", name},
                          {"subnets", json::array()},
                          {"nodeRole", "arn:aws:iam::123456789012:role/nodes"},
                          {"instanceTypes", json::array({"m5.large"})},
                          {"labels", json::object{{"pool", name}}},
                          {"scalingConfig",
                           json::object{{"minSize", 0}, {"maxSize", 5}, {"desiredSize", 0}}}}});
    return calls;
}

}  // namespace

TEST_F(AwsStories, GrowTheNodegroupThatHasTheLabel) {
    World world;
    world.calls = make_cluster({"blue", "green"});
    AwsStory& s = begin(world, {.pods = "node_selector = { pool = \"green\" }\n"});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    for (const std::string& group : s.aws().groups())
        EXPECT_EQ(s.aws().desired(group), group.starts_with("eks-green-") ? 1 : 0) << group;
    EXPECT_THAT(s.aws().calls("DescribeNodegroup"), SizeIs(2)) << "each is asked for once";
}

}  // namespace capstan::aws
