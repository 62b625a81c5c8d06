// Managed node groups of EKS: the Auto Scaling group has no tags with their labels and taints.
#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::SizeIs;

std::vector<SetupCall> make_cluster(const std::vector<std::string>& nodegroups) {
    std::vector<SetupCall> calls{{"eks",
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

TEST_F(AwsDaemon, GrowsTheNodegroupWithTheLabel) {
    ServerSetup setup;
    setup.calls = make_cluster({"blue", "green"});
    AwsScenario& s = begin(setup, {.pods = "node_selector = { pool = \"green\" }\n"});
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    for (const std::string& group : s.aws().groups())
        EXPECT_EQ(s.aws().desired(group), group.starts_with("eks-green-") ? 1 : 0) << group;
    EXPECT_THAT(s.aws().calls("DescribeNodegroup"), SizeIs(2)) << "each is read once";
}

}  // namespace capstan::aws
