#include "simulator/decision_events.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
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

}  // namespace
}  // namespace capstan::simulator
