#include "simulation/decision_events.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "story_start.hpp"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;
using engine::Memory;

struct Told : Observer {
    EventLog story{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster world{story, statistics};
    DecisionEvents decisions{story, statistics, world};
    std::vector<std::string> lines;

    void on_event(const Event& event) override {
        const bool is_explained = !event.because.empty() && !event.is_told;
        lines.push_back(event.text + (is_explained ? ", for " + event.because : ""));
    }
    std::vector<std::string> take() { return std::exchange(lines, {}); }

    void begins(const std::string& node, const std::string& because) {
        Memory after = memory;
        after.removals[node] = {.group = NodeGroupId("web"), .because = because};
        remembers(after);
    }
    void remembers(const Memory& after) {
        decisions.remembered(memory, after, start);
        memory = after;
    }
    void evicts(const std::string& node, const std::string& because) {
        const engine::Decision decision{
            .evictions = {{.ns = "default", .pod = "p", .node = node, .because = because}}};
        decisions.carrying_out();
        story.tell(start, EventKind::arrival, "p", "p comes back");
        decisions.carried_out(decision, {.evictions = {std::nullopt}}, start);
    }
    void removes(const std::vector<std::string>& nodes, const std::string& because) {
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

using StoryLines = std::vector<std::string>;

TEST(DecisionEvents, TellsOfACommandBeforeWhatComesOfIt) {
    Told t;
    t.evicts("web-1", "it is not needed");
    EXPECT_EQ(t.take(),
              (StoryLines{"1 pod is evicted from web-1, for it is not needed", "p comes back"}));
    t.story.tell(start, EventKind::arrival, "p", "p comes back");
    EXPECT_EQ(t.take(), StoryLines{"p comes back"}) << "nothing is held back any more";
}

TEST(DecisionEvents, CountsPodsOfDaemonSetsApart) {
    Told t;
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
    EXPECT_EQ(t.take().front(),
              "3 pods are evicted from web-1, 2 of DaemonSets, for its 1 pod fits on web-2");
}

TEST(DecisionEvents, SaysWhyANodeGoesOnceWhenItsRemovalBegins) {
    Told t;
    t.begins("web-1", "it is not needed");
    t.evicts("web-1", "it is not needed");
    t.removes({"web-1"}, "it is not needed");
    EXPECT_EQ(t.take(),
              (StoryLines{"removal of web-1 begins, for it is not needed",
                          "1 pod is evicted from web-1", "p comes back", "remove web-1 from web"}));
    EXPECT_EQ(t.story.events().back().because, "it is not needed") << "for those who look it up";
}

TEST(DecisionEvents, SaysWhatNobodyKnowsYet) {
    Told t;
    t.begins("web-1", "it is not needed");
    t.begins("web-2", "it is not ready");
    t.take();
    t.removes({"web-1", "web-2"}, "web-1: it is not needed, web-2: it is not ready");
    EXPECT_EQ(t.take(), StoryLines{"remove web-1, web-2 from web"});
    t.removes({"web-1", "web-3"}, "web-1: it is not needed, web-3: it is empty");
    EXPECT_EQ(t.take(),
              StoryLines{"remove web-1, web-3 from web, for web-1: it is not needed, web-3: it "
                         "is empty"});
}

TEST(DecisionEvents, SaysOnceWhyPodsStayWithoutRoom) {
    Told t;
    using engine::ReasonCode;
    const auto decides = [&](ReasonCode code, const char* because, const char* limit = "") {
        runtime::PassResult result;
        result.groups = std::make_shared<std::vector<engine::Group>>();
        result.outcome.decision.unschedulable = {
            {.pods = {.example = "web-1", .count = 2},
             .reason = {code, {engine::SubjectKind::limit, limit}, because}}};
        t.decisions.decided(result, {}, start);
        return t.take();
    };
    EXPECT_EQ(decides(ReasonCode::backed_off, "2 of them: backed off for 5m").size(), 1u);
    EXPECT_EQ(decides(ReasonCode::backed_off, "2 of them: backed off for 5m").size(), 0u);
    EXPECT_EQ(decides(ReasonCode::backed_off, "3 of them: backed off for 9m").size(), 0u)
        << "the same reason in other words";
    EXPECT_EQ(decides(ReasonCode::limit_reached, "no cpu", "cpu").size(), 1u);
    EXPECT_EQ(decides(ReasonCode::limit_reached, "no memory", "memory").size(), 1u);
}

TEST(DecisionEvents, ForgetsTheReasonOfARemovalThatIsOver) {
    Told t;
    t.begins("web-1", "it is not needed");
    t.remembers({});
    t.begins("web-1", "it is not needed");
    EXPECT_EQ(t.take(), (StoryLines{"removal of web-1 begins, for it is not needed",
                                    "removal of web-1 begins, for it is not needed"}));
    t.remembers({});
    t.evicts("web-1", "it is not needed");
    EXPECT_EQ(t.take().front(), "1 pod is evicted from web-1, for it is not needed");
}

}  // namespace
}  // namespace capstan::simulation
