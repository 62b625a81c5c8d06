#include "simulator/live/live_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace capstan::simulator::live {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
namespace json = boost::json;

/// Objects are written by the test; there are no controllers.
struct LiveEventsTest : ::testing::Test {
    boost::asio::io_context io{};
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    api_server::ObjectStore store{loop, {}};
    std::vector<std::string> reported{};
    std::optional<LiveEvents> events{};

    LiveEventsTest() {
        events.emplace(store, [this](const LiveLine& line) {
            reported.push_back(line.kind + ": " + line.text);
        });
    }
    void create(std::string_view resource, const char* space, json::object object) {
        ASSERT_TRUE(store.create(store.kind(resource), space, std::move(object),
                                 {.part = api_server::ObjectPart::everything}));
    }
    void edit(std::string_view resource, const char* space, const std::string& name,
              const std::function<void(json::object&)>& change) {
        ASSERT_TRUE(store.edit(store.kind(resource), space, name, change,
                               {.part = api_server::ObjectPart::everything}));
    }
    void create_node(const std::string& name, bool is_ready = true) {
        create("nodes", "",
               {{"metadata", json::object{{"name", name}}},
                {"spec", json::object()},
                {"status", json::object{{"conditions", conditions(is_ready)}}}});
    }
    static json::array conditions(bool is_ready) {
        return {json::object{{"type", "Ready"}, {"status", is_ready ? "True" : "False"}}};
    }
    void edit_node(const std::string& name, const std::function<void(json::object&)>& change) {
        edit("nodes", "", name, change);
    }
    void create_pod(const std::string& name, json::object labels, json::object spec = {},
                    json::array owners = {}) {
        json::object metadata{{"name", name}, {"labels", std::move(labels)}};
        if (!owners.empty()) metadata["ownerReferences"] = std::move(owners);
        create("pods", "default", {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}});
    }
    void create_event(const char* name, const char* about, const char* message) {
        create("events", "default",
               {{"metadata", json::object{{"name", name}}},
                {"involvedObject", json::object{{"kind", about}, {"name", "web"}}},
                {"reason", "ScaledUpGroup"},
                {"message", message}});
    }
    /// The lines of the next second.
    std::vector<std::string> next_lines() {
        loop.advance(1s);
        return std::exchange(reported, {});
    }
};

TEST_F(LiveEventsTest, ReportNodesThatJoinTogetherInOneLine) {
    create_node("n2");
    create_node("n1");
    EXPECT_THAT(next_lines(),
                ElementsAre("nodes: nodes n1, n2 joined", "nodes: nodes n1, n2 are ready"));
    create_node("n3", false);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n3 joined"));
}

TEST_F(LiveEventsTest, NameTheFirstSixOfManyNodes) {
    for (int i = 1; i <= 8; ++i) create_node("n" + std::to_string(i), false);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: nodes n1, n2, n3, n4, n5, n6 and 2 more joined"));
}

TEST_F(LiveEventsTest, ReportWhenANodeIsReadyNotReadyAndDeleted) {
    create_node("n1", false);
    next_lines();
    const auto set_ready = [&](bool is_ready) {
        edit_node("n1", [&](json::object& node) {
            node["status"].as_object()["conditions"] = conditions(is_ready);
        });
    };
    set_ready(true);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n1 is ready"));
    set_ready(false);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n1 is not ready"));
    ASSERT_TRUE(store.remove(store.kind("nodes"), "", "n1"));
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n1 is deleted"));
}

TEST_F(LiveEventsTest, ReportADrainAndNotItsCordon) {
    create_node("n1", false);
    next_lines();
    const auto set_spec = [&](bool is_drained, bool is_cordoned) {
        edit_node("n1", [&](json::object& node) {
            json::array taints;
            if (is_drained)
                taints.push_back(json::object{{"key", "ToBeDeletedByClusterAutoscaler"},
                                              {"effect", "NoSchedule"}});
            node["spec"] =
                json::object{{"taints", std::move(taints)}, {"unschedulable", is_cordoned}};
        });
    };
    set_spec(true, false);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n1 is being drained"));
    set_spec(true, true);
    EXPECT_THAT(next_lines(), IsEmpty()) << "the cordon belongs to the drain";
    set_spec(false, false);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n1 is no longer being drained"));
    set_spec(false, true);
    EXPECT_THAT(next_lines(), ElementsAre("nodes: node n1 is cordoned"));
}

TEST_F(LiveEventsTest, CountThePodsOfEachApp) {
    for (const char* const name : {"web-1", "web-2"}) create_pod(name, {{"app", "web"}});
    create_pod("lone", {});
    create_pod("proxy-1", {{"app", "proxy"}}, {},
               {json::object{{"kind", "DaemonSet"}, {"name", "proxy"}}});
    EXPECT_THAT(next_lines(), ElementsAre("pods: lone: 0 pods bound, 1 pending",
                                          "pods: web: 0 pods bound, 2 pending"))
        << "pods of DaemonSets are not counted";
    edit("pods", "default", "web-1",
         [](json::object& pod) { pod["spec"].as_object()["nodeName"] = "n1"; });
    EXPECT_THAT(next_lines(), ElementsAre("pods: web: 1 pod bound, 1 pending"));
    edit("pods", "default", "web-1",
         [](json::object& pod) { pod["status"] = json::object{{"phase", "Succeeded"}}; });
    EXPECT_THAT(next_lines(), ElementsAre("pods: web: 0 pods bound, 1 pending"));
}

TEST_F(LiveEventsTest, ReportNoChangeThatIsUndoneAtOnce) {
    create_pod("web-1", {{"app", "web"}});
    next_lines();
    create_pod("web-2", {{"app", "web"}});
    edit("pods", "default", "web-2",
         [](json::object& pod) { pod["status"] = json::object{{"phase", "Failed"}}; });
    EXPECT_THAT(next_lines(), IsEmpty()) << "there is one pending pod, as before";
}

TEST_F(LiveEventsTest, ReportEventsOfTheAutoscalerOnce) {
    create_event("scaled", "ConfigMap", "increased web by 2");
    create_event("bound", "Pod", "assigned web-1 to n1");
    EXPECT_THAT(next_lines(), ElementsAre("autoscaler: autoscaler: increased web by 2"));
    edit("events", "default", "scaled", [](json::object& event) { event["count"] = 2; });
    EXPECT_THAT(next_lines(), IsEmpty());
}

TEST_F(LiveEventsTest, ReportEventsOfBalancersEachTime) {
    create_event("moved", "Balancer", "moved 2 pods to web-b");
    EXPECT_THAT(next_lines(), ElementsAre("balancer: balancer web: moved 2 pods to web-b"));
    edit("events", "default", "moved", [](json::object& event) { event["count"] = 2; });
    EXPECT_THAT(next_lines(), ElementsAre("balancer: balancer web: moved 2 pods to web-b"));
    ASSERT_TRUE(store.remove(store.kind("events"), "default", "moved"));
    EXPECT_THAT(next_lines(), IsEmpty());
}

TEST_F(LiveEventsTest, ReportOnlyWhatHappensAfterThem) {
    events.reset();
    create_node("n1");
    loop.settle();
    events.emplace(store, [this](const LiveLine& line) { reported.push_back(line.text); });
    create_node("n2", false);
    EXPECT_THAT(next_lines(), ElementsAre("node n2 joined"));
    create_node("n3", false);
    loop.settle();
    events.reset();
    EXPECT_THAT(next_lines(), IsEmpty()) << "lines that wait are dropped";
}

}  // namespace
}  // namespace capstan::simulator::live
