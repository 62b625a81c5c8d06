// Increases and decreases: their requests and results.
#include <gmock/gmock.h>

#include <set>

#include <capstan/gather.hpp>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

/// A group of three machines after a refresh.
struct Grown : Project {
    Grown() {
        add("web", 3);
        std::ignore = refresh();
        gce.forget_calls();
    }
    std::vector<std::string> created(std::size_t call = 0) const {
        std::vector<std::string> out;
        const Json body = gce.requests("createInstances").at(call).body;
        for (const Json& each : body.find("instances")->items())
            out.push_back(each.text_at({"name"}));
        return out;
    }
};

TEST(GceChanges, IncreaseCreatesInstancesWithUnusedNames) {
    Grown project;
    const auto grown = project.increase(2, 3);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(*grown, Resized{5});
    ASSERT_THAT(project.created(), SizeIs(2));
    for (const std::string& name : project.created())
        EXPECT_THAT(name, MatchesRegex("web-[a-z0-9]{4}"));
    EXPECT_EQ(project.group().target, 5);
    const auto view = project.next();
    EXPECT_EQ(view->groups[0].target, 5);
    EXPECT_THAT(states(*view),
                ElementsAre("running", "running", "running", "creating", "creating"));
}

TEST(GceChanges, CreateUpToAThousandInstancesPerCallWithUniqueNames) {
    Project project;
    project.config.discovery = {{"web", 0, 5000}};
    project.add("web");
    ASSERT_TRUE(project.refresh());
    const auto grown = project.increase(2500, 0);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(project.gce.calls("createInstances"), 3) << "one thousand per call";
    std::set<std::string> names;
    for (const FakeVm& vm : project.group().instances) names.insert(vm.name);
    EXPECT_THAT(names, SizeIs(2500));
    EXPECT_EQ(project.group().target, 2500);
}

TEST(GceChanges, TruncateALongBaseName) {
    Project project;
    project.add("web", 1).base = std::string(63, 'b');
    ASSERT_TRUE(project.refresh());
    ASSERT_TRUE(project.increase(1, 1));
    EXPECT_THAT(project.group().instances.back().name, SizeIs(63));
}

TEST(GceChanges, ReportAShortfallIfALaterCallIsRefused) {
    Project project;
    project.config.discovery = {{"web", 0, 5000}};
    project.add("web");
    ASSERT_TRUE(project.refresh());
    project.gce.endings["createInstances"] = {{}, {"QUOTA_EXCEEDED", "Quota 'CPUS' exceeded.", ""}};
    const auto grown = project.increase(2500, 0, "key");
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(grown->target, 1000);
    ASSERT_TRUE(grown->shortfall);
    EXPECT_EQ(grown->shortfall->code, ErrorCode::quota);
    EXPECT_EQ(*project.increase(2500, 0, "key"), *grown) << "the same result again";
    EXPECT_EQ(project.gce.calls("createInstances"), 2);
}

TEST(GceChanges, FailWithTheReasonOfGoogle) {
    Grown project;
    project.gce.refuse("createInstances", 403, "forbidden",
                       "Required 'compute.instanceGroupManagers.update' permission");
    const auto grown = project.increase(1, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::permission);
    EXPECT_THAT(grown.error().message, HasSubstr("group \"p/us-central1-a/web\": "));
    EXPECT_EQ(project.increase(1, 3)->target, 4) << "no earlier call was accepted";
}

TEST(GceChanges, FailIfTheOperationFails) {
    Grown project;
    project.gce.polls = 2;
    project.gce.endings["createInstances"] = {{"QUOTA_EXCEEDED", "Quota 'CPUS' exceeded.", ""}};
    const auto grown = project.increase(1, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::quota);
}

TEST(GceChanges, AreNotRepeatedAtOnceAfterAnUnknownFailure) {
    Grown project;
    project.gce.endings["createInstances"] = {{"INTERNAL_ERROR", "It went wrong.", ""}};
    const auto grown = project.increase(1, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::unavailable);
    EXPECT_THAT(grown.error().message, HasSubstr("It went wrong."));
    EXPECT_EQ(project.gce.calls("createInstances"), 1);
}

TEST(GceChanges, SucceedIfTheOperationTakesLong) {
    Grown project;
    project.gce.polls = 1000;
    const auto grown = project.increase(1, 3);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(grown->target, 4);
}

TEST(GceChanges, SucceedIfTheOperationCannotBePolled) {
    Grown project;
    project.gce.polls = 1;
    project.gce.refuse("operations", 403, "forbidden", "not allowed");
    EXPECT_EQ(project.increase(1, 3)->target, 4);
}

TEST(GceChanges, ResizeAGroupThatCannotCreateNamedInstances) {
    Grown project;
    project.group().update_type = "PROACTIVE";
    project.group().replacement = "SUBSTITUTE";
    EXPECT_EQ(*project.increase(2, 3), Resized{5});
    EXPECT_EQ(project.gce.requests("resize").at(0).query.at("size"), "5");
    EXPECT_EQ(project.group().target, 5);
    EXPECT_EQ(*project.increase(1, 5), Resized{6});
    EXPECT_THAT(project.warnings(),
                Contains(HasSubstr("cannot create instances with given names")).Times(1));
}

TEST(GceChanges, SendAResizeOnceAndRecomputeItAfterARefusal) {
    for (const bool is_raised : {false, true}) {
        Grown project;
        project.group().update_type = "PROACTIVE";
        project.group().replacement = "SUBSTITUTE";
        project.gce.refuse("resize", 403, "rateLimitExceeded", "too many calls");
        project.gce.on_refusal = [&] { project.group().target += is_raised ? 2 : 0; };
        const auto grown = project.increase(1, 3);
        EXPECT_EQ(project.gce.calls("resize"), is_raised ? 1 : 2);
        EXPECT_EQ(project.group().target, is_raised ? 5 : 4);
        if (is_raised) {
            EXPECT_EQ(grown.error().code, ErrorCode::conflict);
        }
    }
}

TEST(GceChanges, DoNotRetryAResizeWithALostResponse) {
    Grown project;
    project.group().update_type = "PROACTIVE";
    project.group().replacement = "SUBSTITUTE";
    project.gce.lose_responses("resize");
    EXPECT_EQ(project.increase(1, 3, "key").error().code, ErrorCode::deadline);
    EXPECT_EQ(project.gce.calls("resize"), 1);
    EXPECT_EQ(*project.increase(1, 3, "key"), Resized{4}) << "it was applied";
    EXPECT_EQ(project.gce.calls("resize"), 1);
}

TEST(GceChanges, RejectAnUnexpectedTargetAsAConflict) {
    Grown project;
    project.group().target = 4;
    const auto grown = project.increase(1, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::conflict);
    EXPECT_EQ(project.gce.calls("createInstances"), 0);
}

TEST(GceChanges, NeverExceedTheMaximum) {
    Grown project;
    const auto grown = project.increase(8, 3);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(project.gce.calls("createInstances"), 0);
    EXPECT_TRUE(project.increase(7, 3));
}

TEST(GceChanges, DoNotSupportAllOrNothing) {
    Grown project;
    const Resize request{.group = web, .delta = 2, .expected_target = 3, .all_or_nothing = true};
    EXPECT_EQ(testing::run(project.host, project.cloud().increase(request)).error().code,
              ErrorCode::unsupported);
}

TEST(GceChanges, FailForAnUnknownGroup) {
    Grown project;
    for (const char* id : {"", "web", "p/us-central1-a/db"}) {
        const Resize request{.group = NodeGroupId(id), .delta = 1};
        EXPECT_EQ(testing::run(project.host, project.cloud().increase(request)).error().code,
                  ErrorCode::not_found);
        const Removal removal{.group = NodeGroupId(id), .machines = {MachineId("m")}};
        EXPECT_EQ(testing::run(project.host, project.cloud().remove(removal)).error().code,
                  ErrorCode::not_found);
    }
}

TEST(GceChanges, RetryAnIncreaseWithALostResponseOnce) {
    Grown project;
    project.gce.lose_responses("createInstances");
    const auto grown = project.increase(2, 3);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(project.group().target, 5);
    EXPECT_EQ(project.gce.calls("createInstances"), 2);
    EXPECT_EQ(project.created(0), project.created(1));
}

TEST(GceChanges, FindALostIncreaseInTheNextPass) {
    Grown project;
    project.gce.lose_responses("createInstances", 10);
    const auto grown = project.increase(2, 3, "key");
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::deadline) << "its result is unknown";
    EXPECT_EQ(project.next()->groups[0].target, 5);
    EXPECT_EQ(*project.increase(2, 3, "key"), Resized{5}) << "the same request was applied";
    EXPECT_EQ(project.group().target, 5);
}

TEST(GceChanges, RepeatTheSameNamesForARepeatedKeyWhileTheListLags) {
    Grown project;
    project.gce.lag(true);
    project.gce.lose_responses("createInstances", 3);
    ASSERT_FALSE(project.increase(2, 3, "key"));
    const std::vector<std::string> before = project.created();
    EXPECT_EQ(*project.increase(2, 3, "key"), Resized{5});
    EXPECT_EQ(project.created(project.gce.requests("createInstances").size() - 1), before);
    EXPECT_EQ(project.group().target, 5) << "no instance is created twice";
}

TEST(GceChanges, ApplyARepeatedKeyOnce) {
    Grown project;
    ASSERT_TRUE(project.increase(2, 3, "key"));
    EXPECT_EQ(*project.increase(2, 3, "key"), Resized{5});
    EXPECT_EQ(project.group().target, 5);
    EXPECT_EQ(project.gce.calls("createInstances"), 1);
}

TEST(GceChanges, IncreaseFromTheExpectedTargetWhileTheListLags) {
    Grown project;
    project.gce.lag(true);
    ASSERT_TRUE(project.increase(2, 3));
    ASSERT_TRUE(project.next());
    const auto grown = project.increase(1, 5);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(*grown, Resized{6});
    EXPECT_EQ(project.group().target, 6);
    project.gce.lag(false);
    EXPECT_EQ(project.next()->groups[0].target, 6);
}

TEST(GceChanges, ReportThatTargetsLagUpToTwoMinutes) {
    Grown project;
    EXPECT_EQ(project.next()->target_lag, minutes(2));
}

TEST(GceChanges, ListInstancesInEachPassUntilAnIncreaseIsListed) {
    Grown project;
    project.gce.lag(true);
    ASSERT_TRUE(project.increase(1, 3));
    for (int pass = 0; pass < 3; ++pass) {
        project.gce.forget_calls();
        ASSERT_TRUE(project.next());
        EXPECT_EQ(project.gce.calls("listManagedInstances"), 1) << pass;
    }
}

TEST(GceChanges, ListInstancesInEachPassForTwoMinutesAfterAChange) {
    Grown project;
    ASSERT_TRUE(project.increase(1, 3));
    project.gce.settle(web_key);
    for (int pass = 1; pass <= 14; ++pass) {
        project.gce.forget_calls();
        ASSERT_TRUE(project.next());
        EXPECT_EQ(project.gce.calls("listManagedInstances"), pass < 12 ? 1 : 0) << pass;
    }
}

TEST(GceChanges, ConflictWithAnotherClientUntilItsTargetIsListed) {
    Grown project;
    ASSERT_TRUE(project.increase(2, 3));
    project.group().target = 4;
    EXPECT_EQ(project.increase(1, 5).error().code, ErrorCode::conflict);
    ASSERT_TRUE(project.next());
    const auto grown = project.increase(1, 4);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(project.group().target, 5);
}

TEST(GceChanges, DoNotCancelInstancesWithoutNames) {
    Grown project;
    project.group().target = 6;
    ASSERT_TRUE(project.next());
    EXPECT_EQ(project.decrease(2, 6).error().code, ErrorCode::conflict);
    EXPECT_EQ(project.group().target, 6);
    EXPECT_EQ(project.gce.calls("resize"), 0) << "Google would choose the instances";
}

TEST(GceChanges, DoNotCancelExistingInstances) {
    Grown project;
    project.group().target = 4;
    ASSERT_TRUE(project.next());
    project.gce.settle(web_key);
    const auto lowered = project.decrease(1, 4);
    ASSERT_FALSE(lowered) << "it was created after the last list";
    EXPECT_EQ(lowered.error().code, ErrorCode::conflict);
    EXPECT_EQ(project.gce.calls("resize"), 0);
    EXPECT_EQ(project.gce.calls("deleteInstances"), 0);
}

TEST(GceChanges, CancelOnlyInstancesThatDoNotExistAndReturnTheTarget) {
    Grown project;
    ASSERT_TRUE(project.increase(2, 3));
    ASSERT_TRUE(project.next());
    FakeVm& made = project.group().instances[3];
    made.action = "NONE", made.number = 77;
    EXPECT_EQ(*project.decrease(2, 5), Resized{4});
    EXPECT_EQ(project.group().instances[3].action, "NONE");
    EXPECT_EQ(project.group().instances[4].action, "DELETING");
}

TEST(GceChanges, DoNotCancelUntilTheLastIncreaseIsListed) {
    Grown project;
    ASSERT_TRUE(project.increase(1, 3));
    ASSERT_TRUE(project.next());
    project.gce.lag(true);
    ASSERT_TRUE(project.increase(2, 4));
    ASSERT_TRUE(project.next());
    const auto early = project.decrease(1, 6);
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, ErrorCode::conflict);
    EXPECT_THAT(early.error().message, HasSubstr("not listed yet"));
    project.gce.lag(false);
    ASSERT_TRUE(project.next());
    EXPECT_EQ(*project.decrease(1, 6), Resized{5});
}

TEST(GceChanges, CancelAnInstanceByItsName) {
    Grown project;
    ASSERT_TRUE(project.increase(1, 3));
    ASSERT_TRUE(project.next());
    EXPECT_EQ(*project.decrease(1, 4), Resized{3});
    EXPECT_EQ(project.gce.calls("resize"), 0) << "Google would choose running instances";
    EXPECT_EQ(project.gce.calls("deleteInstances"), 1);
    EXPECT_EQ(project.group().target, 3);
}

Task<void> refresh_once(GceCloud& cloud) { co_await cloud.refresh({}); }
Task<void> increase_once(GceCloud& cloud) {
    const Resize request{.group = web, .delta = 2, .expected_target = 3, .listed_target = 3};
    co_await cloud.increase(request);
}
Task<void> remove_once(GceCloud& cloud, std::string machine) {
    const Removal removal{.group = web, .machines = {MachineId(machine)}};
    co_await cloud.remove(removal);
}

TEST(GceChanges, AreSerializedWithinAGroup) {
    Grown project;
    project.gce.latency = std::chrono::seconds(1);
    std::vector<Task<void>> tasks;
    tasks.push_back(remove_once(project.cloud(), id_of(project.group().instances[0])));
    tasks.push_back(increase_once(project.cloud()));
    const auto done = testing::run(project.host, gather_results(std::move(tasks), 2));
    ASSERT_TRUE(done) << done.error();
    EXPECT_TRUE(done->at(0));
    ASSERT_FALSE(done->at(1));
    EXPECT_EQ(done->at(1).error().code, ErrorCode::conflict)
        << "the decision was based on a target of three";
    EXPECT_EQ(project.group().target, 2);
}

TEST(GceChanges, ReadAListAgainIfAChangeOverlappedIt) {
    Grown project;
    project.gce.latency = std::chrono::seconds(5);
    std::vector<Task<void>> tasks;
    tasks.push_back(refresh_once(project.cloud()));
    tasks.push_back(increase_once(project.cloud()));
    const auto done = testing::run(project.host, gather(std::move(tasks), 2));
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(project.group().target, 5);
    const auto view = project.next();
    EXPECT_EQ(view->groups[0].target, 5);
    EXPECT_THAT(view->machines, SizeIs(5));
}

TEST(GceChanges, ShareOneReadAmongOverlappingRefreshes) {
    Grown project;
    project.gce.latency = std::chrono::seconds(5);
    std::vector<Task<void>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(refresh_once(project.cloud()));
    ASSERT_TRUE(testing::run(project.host, gather(std::move(tasks), 3)));
    EXPECT_EQ(project.gce.calls("aggregatedList"), 1);
}

}  // namespace
}  // namespace capstan::gce
