#include "simulator/decision_events.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;
using engine::Memory;

struct RecordedDecisions : Observer {
    EventLog event_log{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster simulated{event_log, statistics};
    DecisionEvents decisions{event_log, statistics, simulated};
    std::vector<std::string> lines;

    void on_event(const Event& event) override {
        const bool is_explained = !event.because.empty() && !event.is_repeated;
        lines.push_back(event.text + (is_explained ? ", for " + event.because : ""));
    }
    std::vector<std::string> take() { return std::exchange(lines, {}); }

    void begin_removal(const std::string& node, const std::string& because) {
        Memory after = memory;
        after.removals[node] = {.group = NodeGroupId("web"), .because = because};
        set_memory(after);
    }
    void set_memory(const Memory& after) {
        decisions.remembered(memory, after, start);
        memory = after;
    }
    void evict(const std::string& node, const std::string& because) {
        const engine::Decision decision{
            .evictions = {{.ns = "default", .pod = "p", .node = node, .because = because}}};
        decisions.carrying_out();
        event_log.add(start, EventKind::arrival, "p", "p comes back");
        decisions.carried_out(decision, {.evictions = {std::nullopt}}, start);
    }
    void remove(const std::vector<std::string>& nodes, const std::string& because) {
        engine::MachineRemoval removal{.group = NodeGroupId("web"), .because = because};
        for (const std::string& node : nodes) {
            removal.machines.emplace_back("m/" + node);
            removal.nodes.push_back(node);
        }
        decisions.carrying_out();
        decisions.carried_out({.removals = {removal}}, {.removals = {{}}}, start);
    }

    Memory memory;
};

using EventLines = std::vector<std::string>;

TEST(DecisionEvents, WritesACommandBeforeItsEffects) {
    RecordedDecisions t;
    t.evict("web-1", "it is not needed");
    EXPECT_EQ(t.take(),
              (EventLines{"1 pod is evicted from web-1, for it is not needed", "p comes back"}));
    t.event_log.add(start, EventKind::arrival, "p", "p comes back");
    EXPECT_EQ(t.take(), EventLines{"p comes back"}) << "later events are not delayed";
}

TEST(DecisionEvents, CountsDaemonSetPodsSeparately) {
    RecordedDecisions t;
    const auto eviction = [](const std::string& pod, bool of_daemon_set) {
        return engine::Eviction{.ns = "default",
                                .pod = pod,
                                .node = "web-1",
                                .best_effort = of_daemon_set,
                                .because = "its 1 pod fits on web-2"};
    };
    t.decisions.carried_out(
        {.evictions = {eviction("p", false), eviction("log-1", true), eviction("net-1", true)}},
        {.evictions = {std::nullopt, std::nullopt, std::nullopt}}, start);
    EXPECT_EQ(
        t.take().front(),
        "3 pods are evicted from web-1, including 2 DaemonSet pods, for its 1 pod fits on web-2");
}

TEST(DecisionEvents, WritesTheReasonOfARemovalOnce) {
    RecordedDecisions t;
    t.begin_removal("web-1", "it is not needed");
    t.evict("web-1", "it is not needed");
    t.remove({"web-1"}, "it is not needed");
    EXPECT_EQ(t.take(),
              (EventLines{"removal of web-1 begins, for it is not needed",
                          "1 pod is evicted from web-1", "p comes back", "remove web-1 from web"}));
    EXPECT_EQ(t.event_log.events().back().because, "it is not needed") << "stored with the event";
}

TEST(DecisionEvents, WritesReasonsThatWereNotWrittenYet) {
    RecordedDecisions t;
    t.begin_removal("web-1", "it is not needed");
    t.begin_removal("web-2", "it is not ready");
    t.take();
    t.remove({"web-1", "web-2"}, "web-1: it is not needed, web-2: it is not ready");
    EXPECT_EQ(t.take(), EventLines{"remove web-1, web-2 from web"});
    t.remove({"web-1", "web-3"}, "web-1: it is not needed, web-3: it is empty");
    EXPECT_EQ(t.take(),
              EventLines{"remove web-1, web-3 from web, for web-1: it is not needed, web-3: it "
                         "is empty"});
}

TEST(DecisionEvents, WritesAnActionWithoutAResponseAndLaterItsResult) {
    RecordedDecisions t;
    const engine::Decision decision{
        .increases = {
            {.group = NodeGroupId("web"), .from = 2, .by = 3, .because = "makes room for 9 pods"}}};
    t.decisions.carried_out(
        decision,
        {.increases = {Error{.code = ErrorCode::cancelled,
                             .message = "no response from the cloud",
                             .provider_code = std::string(autoscaler::under_way)}}},
        start);
    EXPECT_EQ(t.take(), EventLines{"increase web by 3: 2 -> 5, no response yet, for makes room "
                                   "for 9 pods"});
    t.decisions.ended({{decision, {.increases = {std::nullopt}}, "increase web by 3 has ended"},
                       {decision, {.increases = {Error{ErrorCode::quota, "no quota"}}}, ""}},
                      start);
    EXPECT_EQ(t.take(),
              (EventLines{"increase web by 3 has ended", "increase web by 3 fails, for no quota"}));
    EXPECT_EQ(t.decisions.take_commands().size(), 1u) << "the cloud was called once";
}

TEST(DecisionEvents, CountsNodesWhenTheirRemovalIsAnsweredLate) {
    RecordedDecisions t;
    const engine::Decision decision{.removals = {{.group = NodeGroupId("web"),
                                                  .machines = {MachineId("m/1"), MachineId("m/2")},
                                                  .nodes = {"web-1", "web-2"}}}};
    t.decisions.carried_out(
        decision,
        {.removals = {{Error{.code = ErrorCode::cancelled,
                             .message = "no response from the cloud",
                             .provider_code = std::string(autoscaler::under_way)}}}},
        start);
    EXPECT_EQ(t.take(), EventLines{"remove web-1, web-2 from web, no response yet"});
    EXPECT_EQ(t.statistics.summary().nodes_removed, 0);
    t.decisions.ended({{decision, {.removals = {{}}}, "remove web-1, web-2 from web has ended"}},
                      start);
    EXPECT_EQ(t.statistics.summary().nodes_removed, 2);
}

TEST(DecisionEvents, WritesUnschedulableReasonsOnce) {
    RecordedDecisions t;
    using engine::ReasonCode;
    const auto decide = [&](ReasonCode code, const char* because, const char* limit = "") {
        autoscaler::PassResult result;
        result.groups = std::make_shared<std::vector<engine::Group>>();
        result.outcome.decision.unschedulable = {
            {.pods = {.example = "web-1", .count = 2},
             .reason = {code, {engine::SubjectKind::limit, limit}, because}}};
        t.decisions.decided(result, {}, start);
        return t.take();
    };
    EXPECT_EQ(decide(ReasonCode::backed_off, "2 of them: backed off for 5m").size(), 1u);
    EXPECT_EQ(decide(ReasonCode::backed_off, "2 of them: backed off for 5m").size(), 0u);
    EXPECT_EQ(decide(ReasonCode::backed_off, "3 of them: backed off for 9m").size(), 0u)
        << "same reason code, different numbers";
    EXPECT_EQ(decide(ReasonCode::limit_reached, "no cpu", "cpu").size(), 1u);
    EXPECT_EQ(decide(ReasonCode::limit_reached, "no memory", "memory").size(), 1u);
}

TEST(DecisionEvents, WritesTheReasonAgainAfterARemovalEnded) {
    RecordedDecisions t;
    t.begin_removal("web-1", "it is not needed");
    t.set_memory({});
    t.begin_removal("web-1", "it is not needed");
    EXPECT_EQ(t.take(), (EventLines{"removal of web-1 begins, for it is not needed",
                                    "removal of web-1 begins, for it is not needed"}));
    t.set_memory({});
    t.evict("web-1", "it is not needed");
    EXPECT_EQ(t.take().front(), "1 pod is evicted from web-1, for it is not needed");
}

engine::Backoff backoff_at(Time failure, std::optional<Time> until, const char* because) {
    return {.since = start, .until = until, .last_failure = failure, .because = because};
}

TEST(DecisionEvents, WritesEachFailureThatBacksAGroupOff) {
    RecordedDecisions t;
    Memory memory;
    memory.backoffs[NodeGroupId("web")] = backoff_at(start, start + 5min, "quota");
    t.set_memory(memory);
    t.set_memory(memory);
    EXPECT_EQ(t.take(), EventLines{"web is backed off for 5m, for quota"});
    memory.backoffs[NodeGroupId("web")] = backoff_at(start + 1s, std::nullopt, "no capacity");
    t.set_memory(memory);
    EXPECT_EQ(t.take(), EventLines{"web is backed off until a machine joins, for no capacity"});
}

TEST(DecisionEvents, WritesTheEndOfABackOffOnlyIfItComesEarly) {
    RecordedDecisions t;
    Memory memory;
    memory.backoffs[NodeGroupId("web")] = backoff_at(start, start + 5min, "quota");
    const auto lines_of_end = [&](Duration at) {
        t.decisions.remembered(memory, {}, start + at);
        return t.take();
    };
    EXPECT_EQ(lines_of_end(4min), EventLines{"web is no longer backed off"});
    EXPECT_EQ(lines_of_end(5min), EventLines());
    memory.backoffs[NodeGroupId("web")].until.reset();
    EXPECT_EQ(lines_of_end(5min), EventLines{"web is no longer backed off"});
}

TEST(DecisionEvents, CountsACancelledRemovalOnce) {
    RecordedDecisions t;
    t.begin_removal("web-1", "it is not needed");
    Memory memory = t.memory;
    memory.removals["web-1"].phase = engine::RemovalPhase::undoing;
    memory.removals["web-1"].because = "pods need it";
    t.set_memory(memory);
    t.set_memory(memory);
    t.set_memory({});
    EXPECT_EQ(t.take(), (EventLines{"removal of web-1 begins, for it is not needed",
                                    "removal of web-1 is cancelled, for pods need it"}));
    EXPECT_EQ(t.statistics.summary().removals_undone, 1);
}

TEST(DecisionEvents, MeasuresARemovalUntilTheNodeIsGone) {
    RecordedDecisions t;
    t.simulated.add_node({.name = "still-there"}, "web", start);
    t.take();
    Memory before;
    before.removals["gone"] = {.phase = engine::RemovalPhase::removed, .since = start};
    before.removals["still-there"] = before.removals["gone"];
    before.removals["kept"] = {.phase = engine::RemovalPhase::undoing, .since = start};
    t.decisions.remembered(before, {}, start + 3min);
    EXPECT_EQ(t.statistics.summary().removal_max, Duration(3min));
    EXPECT_EQ(t.statistics.summary().removal_p50, Duration(3min));
}

TEST(DecisionEvents, WritesEachMachineThatIsNotRemoved) {
    RecordedDecisions t;
    const engine::MachineRemoval removal{.group = NodeGroupId("web"),
                                         .machines = {MachineId("m/1"), MachineId("m/2")},
                                         .nodes = {"web-1", "web-2"},
                                         .because = "not needed"};
    t.decisions.carried_out(
        {.removals = {removal}},
        {.removals = {{Error{.code = ErrorCode::conflict, .message = "busy", .subject = "m/2"}}}},
        start);
    EXPECT_EQ(t.take(), (EventLines{"removal of web-2 from web fails, for busy",
                                    "remove web-1 from web, for not needed"}));
    EXPECT_EQ(t.statistics.summary().nodes_removed, 1);
    t.decisions.carried_out({.removals = {removal}},
                            {.removals = {{Error{ErrorCode::unavailable, "no answer"}}}}, start);
    EXPECT_EQ(t.take(), (EventLines{"removal of web-1 from web fails, for no answer",
                                    "removal of web-2 from web fails, for no answer"}));
    EXPECT_EQ(t.statistics.summary().nodes_removed, 1);
    EXPECT_EQ(t.decisions.take_commands().size(), 2u);
}

TEST(DecisionEvents, WritesChangesOfGroupsWithTheirPlans) {
    RecordedDecisions t;
    const NodeGroupId nap("nap-m");
    t.decisions.carried_out(
        {.decreases = {{.group = NodeGroupId("web"), .from = 3, .by = 1, .because = "too many"}},
         .creations = {{.group = nap,
                        .plan = {.name = "nap-m",
                                 .machine_type = "m",
                                 .zone = "z1",
                                 .spot = true,
                                 .labels = {{"team", "a"}},
                                 .taints = {{.key = "team", .value = "a"}}},
                        .because = "fits 3 pods"}},
         .increases = {{.group = nap, .by = 2, .because = "fits 3 pods"}},
         .deletions = {{.group = NodeGroupId("nap-n"), .because = "empty"}}},
        {.decreases = {std::nullopt},
         .creations = {std::nullopt},
         .increases = {std::nullopt},
         .deletions = {Error{ErrorCode::permission, "not allowed"}}},
        start);
    EXPECT_EQ(t.take(),
              (EventLines{"decrease web by 1: 3 -> 2, for too many",
                          "create nap-m: m in z1, spot, team=a, team=a:NoSchedule, for fits 3 pods",
                          "increase nap-m by 2: 0 -> 2, for fits 3 pods",
                          "delete nap-n fails, for not allowed"}));
}

TEST(DecisionEvents, WritesNoIncreaseOfAGroupThatWasNotMade) {
    RecordedDecisions t;
    t.decisions.carried_out({.creations = {{.group = NodeGroupId("nap-m")}},
                             .increases = {{.group = NodeGroupId("nap-m"), .by = 2}}},
                            {.creations = {Error{ErrorCode::quota, "no more groups"}},
                             .increases = {Error{ErrorCode::cancelled, "the group was not made",
                                                 std::string(engine::not_asked)}}},
                            start);
    EXPECT_EQ(t.take(), EventLines{"create nap-m fails, for no more groups"});
    EXPECT_EQ(t.decisions.take_commands().size(), 1u);
}

TEST(DecisionEvents, WritesARepeatedRefusalOnce) {
    RecordedDecisions t;
    const auto refuse = [&](ErrorCode code, const char* message) {
        t.decisions.carried_out(
            {.node_changes = {{.node = "web-1"}},
             .evictions = {{.ns = "default", .pod = "p", .node = "web-1"}}},
            {.node_changes = {std::nullopt}, .evictions = {Error{code, message}}}, start);
        return t.take();
    };
    EXPECT_EQ(refuse(ErrorCode::throttled, "a budget, 1 of 2"),
              EventLines{"evict default/p fails, for a budget, 1 of 2"});
    EXPECT_EQ(refuse(ErrorCode::throttled, "a budget, 2 of 2"), EventLines());
    t.decisions.carried_out({}, {}, start);
    EXPECT_EQ(refuse(ErrorCode::throttled, "a budget"), EventLines()) << "after an empty decision";
    EXPECT_EQ(refuse(ErrorCode::permission, "forbidden"),
              EventLines{"evict default/p fails, for forbidden"});
    EXPECT_EQ(refuse(ErrorCode::not_found, "the pod is gone"), EventLines());
    EXPECT_EQ(refuse(ErrorCode::permission, "forbidden"),
              EventLines{"evict default/p fails, for forbidden"})
        << "in between it was not refused";
    EXPECT_EQ(t.statistics.summary().evictions, 0);
}

TEST(DecisionEvents, WritesANoteAgainAfterItWasAbsent) {
    RecordedDecisions t;
    const auto decide = [&](std::vector<std::string> notes, const std::vector<Error>& problems) {
        autoscaler::PassResult result;
        result.groups = std::make_shared<std::vector<engine::Group>>();
        result.outcome.decision.notes = std::move(notes);
        t.decisions.decided(result, problems, start);
        return t.take();
    };
    EXPECT_EQ(decide({"scale-down is in cooldown"}, {Error{ErrorCode::unavailable, "no answer"}}),
              (EventLines{"no answer", "scale-down is in cooldown"}));
    EXPECT_EQ(decide({"scale-down is in cooldown"}, {}), EventLines());
    EXPECT_EQ(decide({}, {}), EventLines());
    EXPECT_EQ(decide({"scale-down is in cooldown"}, {}), EventLines{"scale-down is in cooldown"});
}

TEST(GivenCommands, AreFoundByTheirFirstWords) {
    const std::vector<GivenCommand> commands{{"increase spot by 1", start},
                                             {"increase web by 2", start + 1s},
                                             {"increase web by 3", start + 2s}};
    EXPECT_EQ(find_command(commands, "increase web"), &commands[1]);
    EXPECT_EQ(find_command(commands, "increase web by 3"), &commands[2]);
    EXPECT_EQ(find_command(commands, ""), &commands[0]) << "any";
    EXPECT_EQ(find_command(commands, "remove"), nullptr);
    EXPECT_EQ(find_command({}, ""), nullptr);
}

}  // namespace
}  // namespace capstan::simulator
