// Node auto-provisioning of the cloud: a planned group equals the group that is listed later.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <tuple>

#include <capstan/base64.hpp>
#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/run_task.hpp>

#include "aws_cloud.hpp"
#include "provisioning/fake_account.hpp"
#include "provisioning/market_facts.hpp"

namespace capstan::aws {
namespace {

using testing::FakeCall;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;
using ::testing::SizeIs;

struct AwsAutoprovisioning : ::testing::Test {
    FakeHost host{};
    FakeAccount account{host};
    AwsConfig config{.region = "eu-central-1",
                     .discovery = {{{.key = "k8s.io/cluster-autoscaler/enabled"}}},
                     .cluster = "prod",
                     .static_instance_types = true,
                     .credentials = {.access_key_id = "AKIA", .secret_access_key = "key"}};
    std::unique_ptr<AwsCloud> made{};

    AwsAutoprovisioning() {
        host.secrets()["key"] = "secret";
        account.launch_templates["workers"]["userData"] =
            base64_encode("#!/bin/bash\n/etc/eks/bootstrap.sh prod\n");
        const MakingConfig making = making_config();
        config.provisioning = ProvisioningSettings{.launch_template = making.launch_template,
                                                   .subnet_tags = making.subnet_tags,
                                                   .instance_types = making.instance_types};
    }
    // Waiting coroutines end before the cloud does.
    ~AwsAutoprovisioning() override { std::ignore = host.stop(); }

    AwsCloud& cloud() {
        if (made) return *made;
        made = std::make_unique<AwsCloud>(host.host(), config);
        const auto started = run(host, made->start());
        EXPECT_TRUE(started) << started.error();
        return *made;
    }
    CloudView refreshed() {
        const auto view = run(host, cloud().refresh({}));
        EXPECT_TRUE(view) << view.error();
        return view ? **view : CloudView();
    }
};

TEST_F(AwsAutoprovisioning, PlansTheGroupThatIsCreated) {
    for (const bool spot : {false, true}) {
        const auto offers = run(host, cloud().machine_types());
        ASSERT_TRUE(offers) << offers.error();
        GroupPlan plan = made_plan({{"team", "a"}}, {{"dedicated", "a", Effect::no_schedule}});
        plan.spot = spot;
        plan.name += spot ? "-spot" : "";
        const FakeCall call;
        const auto planned = cloud().new_group(call.call(), plan);
        ASSERT_TRUE(planned) << planned.error();
        ASSERT_TRUE(run(host, cloud().create(plan)));
        ASSERT_THAT(refreshed().groups, SizeIs(1));
        const auto described = run(host, cloud().describe(planned->group.id));
        ASSERT_TRUE(described) << described.error();
        EXPECT_EQ(*described, planned->node);
        NodeGroup made = refreshed().groups.at(0);
        EXPECT_EQ(made.debug.find(planned->group.debug + ", made from "), 0U) << made.debug;
        made.debug = planned->group.debug;  // a planned group has no launch template yet
        EXPECT_EQ(made, planned->group);
        ASSERT_TRUE(run(host, cloud().destroy(planned->group.id)));
        EXPECT_THAT(refreshed().groups, IsEmpty()) << "the next list is without it";
    }
}

TEST_F(AwsAutoprovisioning, FindsACreatedGroupWithoutADiscovery) {
    config.discovery.clear();
    ASSERT_TRUE(run(host, cloud().create(made_plan())));
    const CloudView view = refreshed();
    ASSERT_THAT(view.groups, SizeIs(1));
    EXPECT_TRUE(view.groups[0].autoprovisioned);
}

TEST_F(AwsAutoprovisioning, DoesNotMarkOtherGroupsAsAutoprovisioned) {
    FakeGroup& web = account.groups["web"];
    web.tags = {{"k8s.io/cluster-autoscaler/enabled", "true"}, {"capstan.io/made-for", "test"}};
    const CloudView view = refreshed();
    ASSERT_THAT(view.groups, SizeIs(1));
    EXPECT_FALSE(view.groups[0].autoprovisioned);
}

TEST_F(AwsAutoprovisioning, OffersNothingIfDisabled) {
    config.provisioning.reset();
    EXPECT_THAT(run(host, cloud().machine_types())->types, IsEmpty());
    const FakeCall call;
    EXPECT_EQ(cloud().new_group(call.call(), made_plan()).error().code, ErrorCode::unsupported);
    EXPECT_EQ(run(host, cloud().create(made_plan())).error().code, ErrorCode::unsupported);
    EXPECT_EQ(run(host, cloud().destroy(NodeGroupId("web"))).error().code, ErrorCode::unsupported);
}

TEST_F(AwsAutoprovisioning, ReportsAllRefusalsInTheSelfCheck) {
    account.refusals["DescribeAutoScalingGroups"] = "AccessDenied";
    account.refusals["DescribeImages"] = "UnauthorizedOperation";
    const auto checked = run(host, cloud().self_check());
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::permission);
    EXPECT_THAT(checked.error().message, HasSubstr("autoscaling:DescribeAutoScalingGroups"));
    EXPECT_THAT(checked.error().message, HasSubstr("ec2:DescribeImages"));
    account.refusals.clear();
    EXPECT_TRUE(run(host, cloud().self_check()));
}

/// An empty group is chosen by its template, whatever is done about failed launches.
TEST_F(AwsAutoprovisioning, ChecksTemplatesInTheSelfCheckAlsoWithoutFailedActivities) {
    config.failed_activities = false;
    host.kube().fail(KubeVerb::list, "nodes", {ErrorCode::permission, "forbidden"});
    EXPECT_TRUE(run(host, cloud().self_check()));
    std::vector<std::string> logged;
    for (const auto& line : host.log_lines()) logged.push_back(line.message);
    EXPECT_THAT(logged, ::testing::Contains(HasSubstr("add \"nodes:list\" to grants.kube")));
}

}  // namespace
}  // namespace capstan::aws
