// Machines of a view, and properties of machines and groups.
#include <gmock/gmock.h>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct StateCase {
    const char* action;
    const char* status;
    bool is_of_group;
    MachineState becomes;
};

TEST(GceMachines, HaveAStateForEachAction) {
    for (const StateCase& each :
         {StateCase{"NONE", "RUNNING", true, MachineState::running},
          StateCase{"NONE", "TERMINATED", true, MachineState::running},
          StateCase{"CREATING", "", true, MachineState::creating},
          StateCase{"CREATING", "STAGING", true, MachineState::creating},
          StateCase{"CREATING_WITHOUT_RETRIES", "", true, MachineState::creating},
          StateCase{"RECREATING", "STOPPING", true, MachineState::creating},
          StateCase{"RESUMING", "SUSPENDED", true, MachineState::creating},
          StateCase{"STARTING", "TERMINATED", true, MachineState::creating},
          StateCase{"VERIFYING", "RUNNING", true, MachineState::running},
          StateCase{"REFRESHING", "RUNNING", true, MachineState::running},
          StateCase{"RESTARTING", "STOPPING", true, MachineState::running},
          StateCase{"DELETING", "STOPPING", true, MachineState::deleting},
          StateCase{"ABANDONING", "RUNNING", false, MachineState::running},
          StateCase{"SUSPENDING", "RUNNING", false, MachineState::running},
          StateCase{"STOPPING", "RUNNING", false, MachineState::running},
          StateCase{"SOMETHING_NEW", "RUNNING", true, MachineState::running},
          StateCase{"SOMETHING_NEW", "", true, MachineState::creating}}) {
        Project project;
        project.add("web").instances = {
            {.name = "web-0001", .action = each.action, .status = each.status, .number = 1}};
        const auto view = project.refresh();
        ASSERT_TRUE(view) << view.error();
        ASSERT_THAT(view->machines, SizeIs(1)) << each.action;
        EXPECT_EQ(view->machines[0].state, each.becomes) << each.action;
        EXPECT_EQ(view->machines[0].group.value(), each.is_of_group ? web.value() : "")
            << each.action;
    }
}

TEST(GceMachines, BelongToNoGroupInAStandbyPool) {
    for (const char* status : {"SUSPENDED", "STOPPED", "TERMINATED", "SUSPENDING", "STOPPING"}) {
        Project project;
        FakeMig& group = project.add("web", 1);
        group.suspended = 1;
        group.instances.push_back({.name = "web-pool", .status = status, .number = 9});
        const auto view = project.refresh();
        EXPECT_EQ(view->groups[0].target, 1);
        EXPECT_EQ(machine(*view, id_of("web-pool")).group.value(), "") << status;
        EXPECT_EQ(machine(*view, id_of("web-pool")).state, MachineState::running);
    }
}

TEST(GceMachines, AreLeavingIfStoppedByAnotherClient) {
    for (const char* status : {"STOPPING", "TERMINATED", "SUSPENDING", "RUNNING", "REPAIRING"}) {
        Project project;
        project.add("web").instances = {{.name = "web-0001", .status = status, .number = 1}};
        std::optional<Leaving> leaves;
        const bool is_running =
            status == std::string("RUNNING") || status == std::string("REPAIRING");
        if (!is_running) leaves.emplace();
        EXPECT_EQ(project.refresh()->machines.at(0).leaves, leaves) << status;
    }
    Project project;
    project.add("web").instances = {
        {.name = "web-0001", .action = "RESTARTING", .status = "STOPPING", .number = 1}};
    EXPECT_EQ(project.refresh()->machines.at(0).leaves, std::nullopt) << "it will run again";
}

TEST(GceMachines, CountAsPreemptedIfTheyAreStoppedSpotInstances) {
    Project project;
    project.gce.templates["t1"].is_spot = true;
    project.add("web", 1).instances[0].status = "STOPPING";
    ASSERT_TRUE(project.refresh());
    ASSERT_TRUE(project.describe());
    EXPECT_EQ(project.next()->machines.at(0).leaves,
              Leaving{.reason = LeaveReason::spot_interruption});
}

TEST(GceMachines, AreNamedLikeTheirNodes) {
    Project project;
    project.add("web", 1);
    const auto view = project.refresh();
    const Machine& one = view->machines.at(0);
    EXPECT_EQ(one.id.value(), "gce://p/us-central1-a/" + project.group().instances[0].name);
    EXPECT_EQ(one.zone, "us-central1-a");
    EXPECT_EQ(view->lists_all_with_prefix, "")
        << "a list does not contain all machines of a project";
}

TEST(GceMachines, DoNotIncludeInstancesThatDoNotExistYet) {
    Project project;
    project.add("web", 1).target = 3;
    const auto view = project.refresh();
    EXPECT_THAT(states(*view), ElementsAre("running"));
    EXPECT_EQ(view->groups[0].target, 3);
}

TEST(GceMachines, HaveAnErrorIfTheyCannotBeCreated) {
    struct Case {
        const char* fault;
        ErrorCode code;
    };
    for (const Case& each : {Case{"ZONE_RESOURCE_POOL_EXHAUSTED", ErrorCode::out_of_capacity},
                             Case{"QUOTA_EXCEEDED", ErrorCode::quota},
                             Case{"PERMISSIONS_ERROR", ErrorCode::permission},
                             Case{"INVALID_FIELD", ErrorCode::invalid_config}}) {
        Project project;
        FakeMig& group = project.add("web");
        group.target = 1;
        group.instances = {{.name = "web-0001", .action = "CREATING", .status = ""}};
        group.instances[0].fault = each.fault;
        group.instances[0].message = "no";
        const auto view = project.refresh();
        EXPECT_EQ(view->machines.at(0).state, MachineState::requested) << "Google retries it";
        ASSERT_TRUE(view->machines[0].error) << each.fault;
        EXPECT_EQ(view->machines[0].error->code, each.code) << each.fault;
        EXPECT_EQ(view->machines[0].error->provider_code, each.fault);
    }
}

TEST(GceMachines, HaveNoErrorOnceTheyRun) {
    Project project;
    FakeMig& group = project.add("web", 1);
    group.instances[0].fault = "QUOTA_EXCEEDED";
    const auto view = project.refresh();
    EXPECT_EQ(view->machines.at(0).state, MachineState::running);
    EXPECT_EQ(view->machines[0].error, std::nullopt);
}

TEST(GceMachines, HaveNoErrorFromAnEarlierAttemptOnceTheyExist) {
    Project project;
    FakeMig& group = project.add("web", 2);
    group.instances[0].action = "CREATING";
    group.instances[0].fault = "ZONE_RESOURCE_POOL_EXHAUSTED";
    group.instances[1] = {.name = "web-0002", .action = "CREATING", .status = ""};
    group.instances[1].fault = "ZONE_RESOURCE_POOL_EXHAUSTED";
    const auto view = project.refresh();
    const Machine& made = machine(*view, id_of(group.instances[0]));
    EXPECT_EQ(made.state, MachineState::creating);
    EXPECT_EQ(made.error, std::nullopt);
    ASSERT_TRUE(project.decrease(1, 2));
    ASSERT_THAT(project.gce.requests("deleteInstances"), SizeIs(1));
    const Json body = project.gce.requests("deleteInstances")[0].body;
    ASSERT_THAT(body.find("instances")->items(), SizeIs(1));
    EXPECT_THAT(std::string(body.find("instances")->items()[0].text()), HasSubstr("web-0002"))
        << "existing machines are not cancelled";
}

TEST(GceMachines, HaveTheFingerprintOfTheirOwnTemplate) {
    Project project;
    FakeMig& group = project.add("web", 2);
    group.made_from = "t2";
    group.instances[1].made_from = "t2";
    ASSERT_TRUE(project.refresh());
    ASSERT_TRUE(project.describe());
    const auto view = project.next();
    const std::string now = view->groups[0].template_fingerprint;
    EXPECT_FALSE(now.empty());
    EXPECT_EQ(machine(*view, id_of(group.instances[1])).template_fingerprint, now);
    EXPECT_EQ(machine(*view, id_of(group.instances[0])).template_fingerprint,
              "made from projects/p/global/instanceTemplates/t1");
}

TEST(GceMachines, CombineListsOfZonesAndOfGroups) {
    Project project;
    for (int i = 0; i < 17; ++i) project.add("group-" + std::to_string(10 + i), 1);
    project.add("web", 1);
    auto view = project.refresh();
    const std::string id = id_of(project.group().instances[0]);
    EXPECT_EQ(machine(*view, id).spot, false);
    EXPECT_EQ(machine(*view, id).machine_type, "n2-standard-4");
    EXPECT_TRUE(machine(*view, id).launched);
    EXPECT_EQ(machine(*view, id).template_fingerprint, "") << "lists of zones have no versions";
    ASSERT_TRUE(project.describe());
    project.group().target = 2;
    view = project.next();
    EXPECT_TRUE(machine(*view, id).launched) << "the list of the group has no launch time";
    EXPECT_EQ(machine(*view, id).template_fingerprint, view->groups.back().template_fingerprint);
}

TEST(GceMachines, BelongToGroupsWithZonesTagsLimitsAndProvisioningModel) {
    Project project;
    project.gce.templates["t1"].labels["team"] = "a";
    project.gce.templates["t1"].is_spot = true;
    project.add_regional("any", "ANY", 1);
    const NodeGroupId any("p/us-central1/any");
    ASSERT_TRUE(project.refresh());
    ASSERT_TRUE(project.describe(any));
    const auto view = project.next();
    const NodeGroup& group = view->groups.at(0);
    EXPECT_THAT(group.zones, ElementsAre("us-central1-a", "us-central1-b", "us-central1-c"));
    EXPECT_EQ(group.tags.at("team"), "a");
    EXPECT_EQ(group.spot, true);
    EXPECT_EQ(view->machines.at(0).spot, true);
    EXPECT_EQ(view->machines[0].leaves, std::nullopt);
    EXPECT_EQ(view->machines[0].machine_type, "n2-standard-4");
    EXPECT_EQ(group.debug, "p/us-central1/any (0:10)");
    EXPECT_EQ(group.price, std::nullopt) << "no price file is configured";
    EXPECT_EQ(group.healthy, std::nullopt);
}

TEST(GceMachines, BelongToGroupsWithOptionsFromKubeEnv) {
    Project project;
    project.gce.templates["t1"].kube_env =
        "AUTOSCALER_ENV_VARS: autoscaling_options=scaledownunneededtime=30m\n";
    project.add("web", 1);
    ASSERT_TRUE(project.refresh());
    ASSERT_TRUE(project.describe());
    const auto view = project.next();
    ASSERT_TRUE(view->groups[0].options);
    EXPECT_EQ(view->groups[0].options->unneeded_time, minutes(30));
}

TEST(GceMachines, AreNotPartOfTheTargetWhileTheyAreDeleted) {
    Project project;
    FakeMig& group = project.add("web", 2);
    group.instances[0].action = "DELETING";
    group.target = 1;
    const auto view = project.refresh();
    EXPECT_EQ(view->groups[0].target, 1);
    EXPECT_THAT(states(*view), ElementsAre("deleting", "running"));
    project.gce.settle(web_key);
    EXPECT_THAT(states(*project.next()), ElementsAre("running"));
}

}  // namespace
}  // namespace capstan::gce
