// Machines of a view, and properties of machines and groups.
#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct StateCase {
    const char* state;
    const char* group;  ///< empty: the machine has no group
    MachineState becomes;
};

TEST(AwsMachines, HaveAStateForEachLifecycleState) {
    const std::vector<StateCase> cases{{"Pending", "web", MachineState::creating},
                                       {"Pending:Wait", "web", MachineState::creating},
                                       {"Pending:Proceed", "web", MachineState::creating},
                                       {"InService", "web", MachineState::running},
                                       {"ReplacingRootVolume:Wait", "web", MachineState::running},
                                       {"Quarantined", "web", MachineState::running},
                                       {"SomethingNew", "web", MachineState::creating},
                                       {"Terminating", "web", MachineState::deleting},
                                       {"Terminating:Wait", "web", MachineState::deleting},
                                       {"Terminating:Retained", "web", MachineState::deleting},
                                       {"Terminated", "web", MachineState::deleting},
                                       {"EnteringStandby", "", MachineState::running},
                                       {"Standby", "", MachineState::running},
                                       {"Detaching", "", MachineState::running}};
    for (const StateCase& each : cases) {
        Account account;
        account.add("web").instances = {{.id = "i-1", .state = each.state}};
        const auto view = account.refresh();
        ASSERT_TRUE(view) << view.error();
        ASSERT_EQ(view->machines.size(), 1u) << each.state;
        EXPECT_EQ(view->machines[0].state, each.becomes) << each.state;
        EXPECT_EQ(view->machines[0].group.value(), each.group) << each.state;
    }
}

TEST(AwsMachines, AreNamedLikeTheirNodes) {
    Account account;
    account.add("web", 1);
    const auto view = account.refresh();
    const Machine& one = view->machines.at(0);
    EXPECT_EQ(one.id.value(), "aws:///eu-central-1a/i-1");
    EXPECT_EQ(one.machine_type, "m5.large");
    EXPECT_EQ(one.zone, "eu-central-1a");
    EXPECT_EQ(one.launched, std::nullopt);
}

TEST(AwsMachines, IncludeRequestedInstancesThatDoNotExistYet) {
    Account account;
    account.add("web", 1).desired = 3;
    const auto view = account.refresh();
    EXPECT_THAT(states(*view),
                ElementsAre(id_of("i-1") + " running", "i-placeholder-web-1 requested",
                            "i-placeholder-web-2 requested"));
    EXPECT_EQ(view->groups[0].target, 3);
    EXPECT_EQ(view->machines[1].error, std::nullopt);
    EXPECT_EQ(view->machines[1].zone, "eu-central-1a") << "there is only one zone";
}

TEST(AwsMachines, CountTowardsTheTargetUnlessTheyTerminate) {
    Account account;
    FakeGroup& group = account.add("web", 3);
    group.instances[0].state = "Terminating";
    group.instances[1].state = "Pending";
    group.desired = 2;
    const auto view = account.refresh();
    EXPECT_EQ(view->groups[0].target, 2);
    EXPECT_EQ(view->machines.size(), 3u);
}

TEST(AwsMachines, AreLeavingAfterAFailedHealthCheck) {
    Account account;
    account.add("web", 2).instances[0].health = "Unhealthy";
    const auto view = account.refresh();
    EXPECT_EQ(view->machines[0].leaves, Leaving{.reason = LeaveReason::unhealthy});
    EXPECT_EQ(view->machines[1].leaves, std::nullopt);
}

TEST(AwsMachines, AreNotLeavingIfAwsDoesNotReplaceThem) {
    Account account;
    FakeGroup& group = account.add("web", 2);
    for (FakeInstance& each : group.instances) each.health = "Unhealthy";
    group.instances[0].state = "Standby";
    EXPECT_EQ(account.refresh()->machines[0].leaves, std::nullopt);
    group.instances[0].state = "InService";
    for (const char* const process : {"ReplaceUnhealthy", "Terminate"}) {
        group.more = "<SuspendedProcesses><member><ProcessName>" + std::string(process) +
                     "</ProcessName></member></SuspendedProcesses>";
        EXPECT_EQ(account.next(minutes(1))->machines[0].leaves, std::nullopt) << process;
    }
}

TEST(AwsMachines, HaveTheFingerprintOfAnEarlierTemplateVersion) {
    Account account;
    FakeGroup& group = account.add("web", 2);
    group.version = "2";
    group.instances[1].version = "2";
    ASSERT_TRUE(account.refresh());
    ASSERT_TRUE(testing::run(account.host, account.cloud().describe(web)));
    const auto view = account.next();
    const std::string now = view->groups[0].template_fingerprint;
    EXPECT_FALSE(now.empty());
    EXPECT_EQ(view->machines[1].template_fingerprint, now);
    EXPECT_NE(view->machines[0].template_fingerprint, now);
    EXPECT_FALSE(view->machines[0].template_fingerprint.empty());
}

std::string mixed(int base, int percentage) {
    return "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>"
           "lt-1</LaunchTemplateId></LaunchTemplateSpecification></LaunchTemplate>"
           "<InstancesDistribution><OnDemandBaseCapacity>" +
           std::to_string(base) + "</OnDemandBaseCapacity><OnDemandPercentageAboveBaseCapacity>" +
           std::to_string(percentage) +
           "</OnDemandPercentageAboveBaseCapacity></InstancesDistribution></MixedInstancesPolicy>";
}

struct SpotCase {
    int base, percentage;
    std::optional<bool> group, machine;
};

TEST(AwsMachines, HaveAKnownPurchaseOptionIfThePolicyHasOnlyOne) {
    for (const SpotCase& each :
         {SpotCase{0, 0, true, true}, SpotCase{0, 100, false, false},
          SpotCase{2, 0, true, std::nullopt}, SpotCase{0, 50, true, std::nullopt}}) {
        Account account;
        account.add("web", 1).more = mixed(each.base, each.percentage);
        const auto view = account.refresh();
        EXPECT_EQ(view->groups[0].spot, each.group) << each.base << " " << each.percentage;
        EXPECT_EQ(view->machines[0].spot, each.machine) << each.base << " " << each.percentage;
    }
}

TEST(AwsMachines, BelongToGroupsWithZonesTagsAndLimits) {
    Account account;
    account.add("web").zones = {"eu-central-1a", "eu-central-1b"};
    const auto view = account.refresh();
    EXPECT_THAT(view->groups[0].zones, ElementsAre("eu-central-1a", "eu-central-1b"));
    EXPECT_EQ(view->groups[0].tags.at("cluster"), "prod");
    EXPECT_EQ(view->groups[0].debug, "web (0:10), made from lt-1, version 1");
    EXPECT_EQ(view->groups[0].price, std::nullopt) << "no price file is configured";
}

TEST(AwsMachines, BelongToGroupsWithOptionsFromTags) {
    Account account;
    account.add("web")
        .tags["k8s.io/cluster-autoscaler/node-template/autoscaling-options/scaledownunneededtime"] =
        "30m";
    const auto view = account.refresh();
    ASSERT_TRUE(view->groups[0].options);
    EXPECT_EQ(view->groups[0].options->unneeded_time, minutes(30));
}

TEST(AwsMachines, AreNotAListOfTheWholeAccount) {
    Account account;
    account.add("web", 1);
    EXPECT_EQ(account.refresh()->lists_all_with_prefix, "");
}

}  // namespace
}  // namespace capstan::aws
