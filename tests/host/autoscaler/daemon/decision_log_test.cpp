#include "autoscaler/daemon/decision_log.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "autoscaler/daemon/decision_history.hpp"
#include "autoscaler/daemon/pass_json.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The log lines of passes over an empty cluster.
struct DecisionLogTest : ::testing::Test {
    std::vector<std::string> lines;  ///< without their time
    plugin_runtime::services::Logger log{
        {}, std::make_shared<io::ManualClock>(), [this](std::string_view line) {
            lines.emplace_back(line.substr(line.find(' ') + 1));
        }};
    DecisionLog decisions{log, config::LogFormat::text};
    PassReport pass{PassInput{.snapshot = {engine::snapshot::ClusterBuilder().build(),
                                           std::make_shared<const std::vector<engine::Group>>()}}};

    engine::Decision& decision() { return pass.result.outcome.decision; }
    void increase() {
        decision().increases = {
            {.group = NodeGroupId("web"), .from = 1, .by = 2, .because = "makes room for 9 pods"}};
    }
    std::vector<std::string> logged() {
        lines.clear();
        decisions.log(pass);
        return lines;
    }
};

TEST_F(DecisionLogTest, LogsActionsEachTime) {
    increase();
    pass.results.increases = {std::nullopt};
    const auto line = "info  pass: increase web by 2 (1 -> 3): makes room for 9 pods";
    EXPECT_THAT(logged(), ElementsAre(line));
    EXPECT_THAT(logged(), ElementsAre(line));
}

TEST_F(DecisionLogTest, LogsAFailingExpanderStageOnce) {
    engine::StageVerdict failed, empty, kept;
    failed.error = Error{ErrorCode::internal, "no score"};
    failed.summary = "score: failed: no score; skipped";
    empty.summary = "first: keeps none of 2; skipped";
    kept.kept = {NodeGroupId("web")};
    kept.summary = "last: keeps 1 of 2: web";
    engine::ChosenOption chosen;
    chosen.stages = {failed, empty, kept};
    decision().options = {chosen};
    EXPECT_THAT(logged(), ElementsAre("warn  pass: score: failed: no score; skipped",
                                      "warn  pass: first: keeps none of 2; skipped"));
    EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(DecisionLogTest, LogsAFailedActionOnceWhileItLasts) {
    increase();
    pass.results.increases = {Error{ErrorCode::quota, "no more machines"}};
    const auto line = "warn  pass: increase web by 2 (1 -> 3) failed: no more machines";
    EXPECT_THAT(logged(), ElementsAre(line));
    EXPECT_THAT(logged(), IsEmpty());
    decision() = {};
    EXPECT_THAT(logged(), IsEmpty());
    increase();
    EXPECT_THAT(logged(), ElementsAre(line));
}

TEST_F(DecisionLogTest, LogsOnceWhichSettingHoldsScaleDownBack) {
    auto& held_back = pass.result.outcome.figures.held_back;
    held_back = {{"scale_down.delay_after_add", {2, "the last scale-up (group web)"}}};
    EXPECT_THAT(logged(), ElementsAre("info  pass: 2 unneeded nodes are not removed yet: "
                                      "scale_down.delay_after_add after the last scale-up (group "
                                      "web)"));
    ++held_back.begin()->second.nodes;
    EXPECT_THAT(logged(), IsEmpty());
    held_back = {{"scale_down.ignore_schedulable_pods", {1}}};
    EXPECT_THAT(logged(), ElementsAre("info  pass: 1 unneeded node is not removed yet: "
                                      "scale_down.ignore_schedulable_pods"));
}

TEST_F(DecisionLogTest, LogsALeavingMachineOnce) {
    const auto with_notice = [this](std::optional<Leaving> leaving) {
        const engine::Group group{
            .group = {.id = NodeGroupId("web")},
            .machines = {{.id = MachineId("i-1")}, {.id = MachineId("i-2"), .leaves = leaving}}};
        pass.input.snapshot.groups =
            std::make_shared<const std::vector<engine::Group>>(std::vector{group});
    };
    with_notice(Leaving{LeaveReason::rebalance});
    EXPECT_THAT(logged(), ElementsAre("info  pass: machine i-2 of web has a termination notice: "
                                      "rebalance; no pods of removed nodes are moved to the node"));
    EXPECT_THAT(logged(), IsEmpty());
    with_notice(Leaving{LeaveReason::spot_interruption, time_from_unix_ns(0)});
    EXPECT_THAT(logged(), ElementsAre("info  pass: machine i-2 of web has a termination notice: "
                                      "spot interruption at 1970-01-01T00:00:00Z; the node takes "
                                      "no new pods, and its pods are evicted before that time"));
    with_notice({});
    EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(DecisionLogTest, LogsAMixedGroupWithTemplateSourceMixedOnce) {
    const auto with_types = [this](int variants) {
        const auto described =
            std::make_shared<const NodeTemplate>(NodeTemplate{.variants = variants});
        pass.input.snapshot.groups = std::make_shared<const std::vector<engine::Group>>(
            1, engine::Group{.group = {.id = NodeGroupId("web")}, .described = described});
    };
    with_types(2);
    EXPECT_THAT(logged(),
                ElementsAre("warn  pass: group web has 2 machine types, but "
                            "scale_up.template_source = \"mixed\" assumes that new nodes are like "
                            "an existing one; use \"cloud\" to assume the smallest type"));
    EXPECT_THAT(logged(), IsEmpty());
    with_types(1);
    EXPECT_THAT(logged(), IsEmpty());
    with_types(2);
    pass.input.settings.template_source = engine::TemplateSource::cloud;
    EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(DecisionLogTest, LogsAnUnlistedGroupOnceAndAfterEachReload) {
    pass.memory.known_groups[NodeGroupId("two")] = {.nodes = 5, .sample_nodes = {"two-1", "two-2"}};
    decision().notes = engine::health::describe_departed_groups(pass.memory, {});
    const auto line =
        "warn  pass: group two is no longer listed by any cloud: its 5 nodes stay without a group: "
        "two-1, two-2 and 3 more";
    EXPECT_THAT(logged(), ElementsAre(line));
    EXPECT_THAT(logged(), IsEmpty());
    decisions.reloaded();
    EXPECT_THAT(logged(), ElementsAre(line));
    EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(DecisionLogTest, LogsAWarningOnce) {
    decision().notes = {"a note", "group web: 2 machines did not join"};
    decision().warnings = {"group web: 2 machines did not join"};
    EXPECT_THAT(logged(), ElementsAre("info  pass: a note",
                                      "warn  pass: group web: 2 machines did not join"));
    EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(DecisionLogTest, LogsADryRunOnce) {
    increase();
    pass.input.call_context.dry_run = true;
    EXPECT_THAT(logged(),
                ElementsAre("info  pass: dry run: would increase web by 2 (1 -> 3): makes "
                            "room for 9 pods"));
    EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(DecisionLogTest, LogsUnschedulablePodsOnceForEachReason) {
    using engine::ReasonCode;
    decision().unschedulable = {
        {.pods = {0, "shop/a", 2},
         .reason = {ReasonCode::backed_off, {}, "web: backed off for 5m: none"}}};
    EXPECT_THAT(logged(),
                ElementsAre("info  pass: 2 pods like shop/a stay unschedulable: web: backed "
                            "off for 5m: none"));
    decision().unschedulable[0].pods.count = 3;
    EXPECT_THAT(logged(), IsEmpty()) << "the same pods for the same reason";
    engine::Reason& reason = decision().unschedulable[0].reason;
    reason.sentence = "web: backed off for 5m: none, request 4712";
    EXPECT_THAT(logged(), IsEmpty()) << "the same reason, worded differently";
    reason = {ReasonCode::limit_reached, {engine::SubjectKind::limit, "cpu"}, "no cpu"};
    EXPECT_EQ(logged().size(), 1u) << "another code";
    reason.subject.name = "memory";
    EXPECT_EQ(logged().size(), 1u) << "another limit";
}

TEST_F(DecisionLogTest, LogsAnUnknownMachineTypeOnceUntilTheNextReload) {
    pass.input.snapshot.machines = std::make_shared<const std::vector<engine::CloudMachines>>(
        1, engine::CloudMachines{PluginInstanceId("cloud"), {{.name = "m"}}});
    const auto add_dropped_group = [&](const char* type, const char* because) {
        decision().new_groups.push_back(
            {.plan = {.machine_type = type},
             .dropped = {engine::ReasonCode::not_created, {}, because}});
    };
    add_dropped_group("m", "no pod fits on a new machine");
    add_dropped_group("typo",
                      "machine_types names \"typo\", which the cloud does not offer; it offers m");
    const auto line =
        "warn  pass: machine_types names \"typo\", which the cloud does not offer; it offers m";
    EXPECT_THAT(logged(), ElementsAre(line));
    const auto skipped = std::exchange(decision().new_groups, {});
    EXPECT_THAT(logged(), IsEmpty());
    decision().new_groups = skipped;
    EXPECT_THAT(logged(), IsEmpty()) << "other pods, the same settings";
    decisions.reloaded();
    EXPECT_THAT(logged(), ElementsAre(line));
}

TEST_F(DecisionLogTest, LogsARewordedErrorOnce) {
    increase();
    pass.results.increases = {Error{ErrorCode::quota, "no more machines, request 4711"}};
    EXPECT_EQ(logged().size(), 1u);
    pass.results.increases = {Error{ErrorCode::quota, "no more machines, request 4712"}};
    EXPECT_THAT(logged(), IsEmpty());
    pass.results.increases = {Error{ErrorCode::permission, "not allowed"}};
    EXPECT_EQ(logged().size(), 1u) << "another code";
}

TEST_F(DecisionLogTest, LogsABackoffOnceForEachFailure) {
    const NodeGroupId spot("spot");
    pass.memory.backoffs[spot] = {.until = pass.at + std::chrono::minutes(5),
                                  .last_failure = pass.at,
                                  .code = ErrorCode::out_of_capacity,
                                  .because = "1 machine failed: none left"};
    EXPECT_THAT(logged(), ElementsAre("warn  pass: group spot is backed off until 00:05:00Z (5m "
                                      "left): 1 machine failed: none left"));
    pass.input.memory.backoffs = pass.memory.backoffs;
    pass.at += std::chrono::minutes(1);
    EXPECT_THAT(logged(), IsEmpty());
    pass.memory.backoffs[spot].last_failure += std::chrono::minutes(6);
    pass.memory.backoffs[spot].until.reset();
    EXPECT_THAT(logged(),
                ElementsAre("warn  pass: group spot is backed off until a machine joins: 1 "
                            "machine failed: none left"));
}

TEST_F(DecisionLogTest, LogsSkippedPodsAndKeptNodesAtLevelDebug) {
    std::vector<std::string> log_lines;
    config::Log at_debug;
    at_debug.level = config::LogLevel::debug;
    plugin_runtime::services::Logger debug(
        at_debug, std::make_shared<io::ManualClock>(),
        [&](std::string_view line) { log_lines.emplace_back(line.substr(line.find(' ') + 1)); });
    DecisionLog verbose(debug, config::LogFormat::text);
    decision().skipped = {{.count = 2, .because = "fit on existing or upcoming nodes"}};
    decision().nodes = {{.node = "n1", .because = "its pods need it"}};
    decision().nodes[0].reason = engine::Unremovable::not_underutilized;
    verbose.log(pass);
    EXPECT_THAT(
        log_lines,
        ElementsAre(
            "debug pass: checked 0 nodes, 0 pods (0 without a node) and 0 groups; nothing to do",
            "debug pass: 2 pods: fit on existing or upcoming nodes",
            "debug pass: node n1 is kept: its pods need it"));
    EXPECT_THAT(logged(), IsEmpty()) << "the log level is info";
}

TEST_F(DecisionLogTest, WritesFactsAsKeysOfAJsonLog) {
    std::vector<std::string> log_lines;
    config::Log as_json;
    as_json.format = config::LogFormat::json;
    plugin_runtime::services::Logger json_logger(
        as_json, std::make_shared<io::ManualClock>(),
        [&](std::string_view line) { log_lines.emplace_back(line); });
    DecisionLog json(json_logger, config::LogFormat::json);
    increase();
    pass.results.increases = {Error{ErrorCode::quota, "no more machines"}};
    decision().evictions = {{.ns = "shop", .pod = "a", .node = "n1", .because = "n1 goes"}};
    pass.results.evictions = {std::nullopt};
    json.log(pass);
    ASSERT_EQ(log_lines.size(), 2u);
    EXPECT_THAT(log_lines[0], HasSubstr(R"("action":"increase","group":"web","delta":"2",)"
                                        R"("code":"quota","reason":"no more machines","pass":")"));
    EXPECT_THAT(log_lines[1], HasSubstr(R"("action":"evict","node":"n1","pod":"shop/a",)"
                                        R"("code":"done","reason":"n1 goes","pass":")"));
    EXPECT_THAT(pass_json(pass), HasSubstr(R"("action":"increase","group":"web","delta":2)"));
}

TEST_F(DecisionLogTest, LogsADroppedDecision) {
    increase();
    pass.dropped_because = "no longer the leader";
    EXPECT_THAT(logged(), ElementsAre("warn  pass: decision dropped: no longer the leader"));
}

TEST_F(DecisionLogTest, LogsCreatedAndDeletedGroups) {
    decision().creations = {{.group = NodeGroupId("nap-1"), .because = "9 pods fit"}};
    decision().deletions = {{.group = NodeGroupId("nap-2"), .because = "empty for 1h"}};
    pass.results.creations = {std::nullopt};
    pass.results.deletions = {Error{ErrorCode::conflict, "in use"}};
    EXPECT_THAT(logged(), ElementsAre("info  pass: create nap-1: 9 pods fit",
                                      "warn  pass: delete nap-2 failed: in use"));
    EXPECT_TRUE(asks_for_something(decision()));
    EXPECT_THAT(pass_json(pass), HasSubstr("\"what\":\"create nap-1\""));
    EXPECT_THAT(pass_json(pass), HasSubstr("\"because\":\"empty for 1h\",\"error\":\"in use\""));
}

TEST_F(DecisionLogTest, DoesNotLogThatAnEvictedPodIsAlreadyDeleted) {
    decision().evictions = {{.ns = "shop", .pod = "a", .node = "n1", .because = "n1 goes"}};
    pass.results.evictions = {Error{ErrorCode::not_found, "no such pod"}};
    EXPECT_THAT(logged(), ElementsAre("info  pass: evict shop/a from n1: n1 goes"));
}

engine::Eviction daemon_pod(const std::string& name, const std::string& node) {
    return {.ns = "kube-system",
            .pod = name,
            .node = node,
            .best_effort = true,
            .because = node + " goes"};
}

TEST_F(DecisionLogTest, SummarizesEvictionsOfDaemonSetPods) {
    decision().evictions = {
        daemon_pod("p-1", "n1"), {.ns = "shop", .pod = "a", .node = "n1", .because = "n1 goes"},
        daemon_pod("l-1", "n1"), daemon_pod("p-2", "n2"),
        daemon_pod("l-2", "n2"),
    };
    pass.results.evictions = {{}, {}, {}, {}, Error{ErrorCode::permission, "forbidden"}};
    EXPECT_THAT(logged(), ElementsAre("info  pass: evict shop/a from n1: n1 goes",
                                      "warn  pass: evict kube-system/l-2 from n2 failed: forbidden",
                                      "info  pass: evict 2 DaemonSet pods from n1: n1 goes",
                                      "info  pass: evict 1 DaemonSet pod from n2: n2 goes"));
}

TEST_F(DecisionLogTest, SummarizesEvictionsOfDaemonSetPodsInADryRun) {
    pass.input.call_context.dry_run = true;
    decision().evictions = {daemon_pod("p-1", "n1"), daemon_pod("l-1", "n1")};
    EXPECT_THAT(logged(),
                ElementsAre("info  pass: dry run: would evict 2 DaemonSet pods from n1: n1 goes"));
}

/// A pod whose eviction is requested repeatedly.
struct DecisionLogOfAnEviction : DecisionLogTest {
    DecisionLogOfAnEviction() {
        decision().evictions = {
            {.ns = "shop", .pod = "a", .uid = "u", .node = "n1", .because = "n1 goes"}};
    }
    /// The eviction in memory before the pass.
    engine::NodeRemoval::Eviction& before() {
        return pass.input.memory.removals["n1"].evictions["shop/a/u"];
    }
    std::vector<std::string> logged_with(std::optional<Error> error) {
        pass.results.evictions = {std::move(error)};
        return logged();
    }
};

TEST_F(DecisionLogOfAnEviction, LogsARefusalOnceAndEachNewOne) {
    const Error denied{ErrorCode::permission, "a policy denies it"};
    const char* const line = "warn  pass: evict shop/a from n1 failed: a policy denies it";
    EXPECT_THAT(logged_with(denied), ElementsAre(line));
    before() = {.refused = Time(),
                .refused_because = "a policy denies it",
                .refused_code = ErrorCode::permission,
                .barred_since = Time()};
    EXPECT_THAT(logged_with(denied), IsEmpty());
    EXPECT_EQ(logged_with(Error{ErrorCode::permission, "another policy denies it"}).size(), 1u);
    EXPECT_EQ(logged_with(Error{ErrorCode::unavailable, "no connection"}).size(), 1u);
}

TEST_F(DecisionLogOfAnEviction, LogsARewordedOutageOnce) {
    before() = {.refused = Time(),
                .refused_because = "no response within 5.1s",
                .refused_code = ErrorCode::unavailable};
    EXPECT_THAT(logged_with(Error{ErrorCode::unavailable, "no response within 5.2s"}), IsEmpty());
}

TEST_F(DecisionLogOfAnEviction, LogsTheEndOfRefusalsWithCountAndTime) {
    before() = {.refused = Time(std::chrono::seconds(30)), .refused_since = Time(), .refusals = 4};
    pass.at = Time(std::chrono::seconds(40));
    EXPECT_THAT(
        logged_with(std::nullopt),
        ElementsAre("info  pass: evict shop/a from n1: n1 goes; accepted after 4 refusals in 40s"));
}

TEST_F(DecisionLogOfAnEviction, DoesNotLogARepeatedRequestForAnAcceptedEviction) {
    before() = {.agreed = Time()};
    EXPECT_THAT(logged_with(std::nullopt), IsEmpty());
    EXPECT_THAT(logged_with(Error{ErrorCode::not_found, "no such pod"}), IsEmpty());
}

TEST(DecisionHistory, KeepsTheLatestDecisionsWithActions) {
    DecisionHistory history(2);
    EXPECT_EQ(history.last(), nullptr);
    EXPECT_EQ(history.decisions(), "[]");
    for (const char* group : {"a", "b", "", "c"}) {
        auto pass = std::make_shared<PassReport>(
            PassInput{.snapshot = {engine::snapshot::ClusterBuilder().build(),
                                   std::make_shared<const std::vector<engine::Group>>()}});
        if (*group != '\0')
            pass->result.outcome.decision.increases = {
                {.group = NodeGroupId(group), .by = 1, .because = "pods"}};
        history.put(pass);
    }
    const std::string text = history.decisions();
    EXPECT_THAT(text, HasSubstr("increase b by 1"));
    EXPECT_LT(text.find("increase c by 1"), text.find("increase b by 1"));
    EXPECT_EQ(text.find("increase a by 1"), std::string::npos);
    EXPECT_THAT(text, HasSubstr("\"nodes\":0,\"pods\":0"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
