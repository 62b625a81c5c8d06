#include "simulator/live/scenario_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <capstan/duration.hpp>

#include "live_case.hpp"
#include "simulator/live/live_events.hpp"

namespace capstan::simulator::live {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
namespace json = boost::json;

/// There are no controllers: pods get no nodes, and Deployments no pods.
struct ScenarioPlayerTest : ::testing::Test {
    boost::asio::io_context io{};
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    api_server::ObjectStore store{loop, {}};
    Input input{};
    std::vector<std::string> reported{};
    std::vector<std::string> changes{};
    std::optional<int> over{};
    std::optional<ScenarioPlayer> player{};

    ReportLive reporter() {
        return [this](const LiveLine& line) { reported.push_back(line.kind + ": " + line.text); };
    }
    void play(const std::string& toml, double speed = 1) {
        input = input_of(toml);
        player.emplace(store, input,
                       ScenarioPlayer::Options{.speed = speed,
                                               .quiet_period = 10s,
                                               .report = reporter(),
                                               .change_cloud =
                                                   [this](const ExternalEvent&, Duration since) {
                                                       changes.push_back(format_duration(since));
                                                       return Result<void>();
                                                   },
                                               .over = [this](int unmet) { over = unmet; }});
        player->fill();
        player->start();
        loop.settle();
    }
    std::int64_t replicas(const std::string& name) {
        const api_server::ApiObject found =
            store.find(store.kind("deployments.apps"), "default", name);
        return found == nullptr ? -1 : api_server::integer_at(*found, "spec.replicas").value_or(-1);
    }
    std::vector<std::string> names(std::string_view resource) {
        std::vector<std::string> out;
        for (const api_server::ApiObject& object : store.list(store.kind(resource)).items)
            out.emplace_back(api_server::text_at(*object, "metadata.name"));
        return out;
    }
};

TEST_F(ScenarioPlayerTest, RunsStepsAtTheConfiguredSpeed) {
    play(R"(
[[step]]
pods = [{ name = "web", count = 2, replicas = true }]
advance = "1m"
[[step]]
scale = { web = 5 }
advance = "1m"
)",
         10);
    EXPECT_EQ(replicas("web"), 2);
    loop.advance(5999ms);
    EXPECT_EQ(replicas("web"), 2);
    loop.advance(1ms);
    EXPECT_EQ(replicas("web"), 5);
    EXPECT_EQ(over, std::nullopt);
    loop.advance(6s);
    EXPECT_EQ(over, 0);
    EXPECT_THAT(reported,
                ElementsAre("scenario: 2 pods of web are created", "scenario: web is scaled to 5",
                            "scenario: the scenario has ended; the cluster is still running"));
}

TEST_F(ScenarioPlayerTest, CreatesInitialObjects) {
    play(R"(
[[node]]
name = "system"
cpu = "4"
memory = "8Gi"
[[daemon_set]]
name = "agent"
namespace = "monitoring"
[[replica_set]]
name = "dns"
count = 2
[[stateful_set]]
name = "store"
count = 3
[[budget]]
name = "dns"
max_unavailable = 1
)");
    EXPECT_THAT(names("nodes"), ElementsAre("system"));
    EXPECT_THAT(names("daemonsets.apps"), ElementsAre("agent"));
    EXPECT_THAT(names("statefulsets.apps"), ElementsAre("store"));
    EXPECT_THAT(names("poddisruptionbudgets.policy"), ElementsAre("dns"));
    EXPECT_THAT(names("namespaces"), Contains("monitoring"));
    EXPECT_EQ(replicas("dns"), 2);
}

TEST_F(ScenarioPlayerTest, AddsToABatchAndRemovesIt) {
    play(R"(
[[step]]
pods = [{ name = "web", count = 2, replicas = true }, { name = "lone", count = 2 }]
advance = "1s"
[[step]]
pods = [{ name = "web", count = 3, replicas = true }, { name = "lone", count = 1 }]
advance = "1s"
[[step]]
remove = ["web", "lone-2"]
advance = "1s"
[[step]]
remove = ["lone", "unknown"]
)");
    loop.advance(1s);
    EXPECT_EQ(replicas("web"), 5);
    EXPECT_THAT(names("pods"), ElementsAre("lone-1", "lone-2", "lone-3"));
    loop.advance(1s);
    EXPECT_THAT(names("deployments.apps"), IsEmpty());
    EXPECT_THAT(names("pods"), ElementsAre("lone-1", "lone-3"));
    loop.advance(1s);
    EXPECT_THAT(names("pods"), IsEmpty());
    EXPECT_THAT(reported, Contains("note: action failed: no batch, pod or node \"unknown\""));
}

TEST_F(ScenarioPlayerTest, ChangesNodesAndTheCloud) {
    play(R"(
[[group]]
id = "web"
machine = { cpu = "4", memory = "8Gi" }
[[node]]
name = "system"
cpu = "4"
memory = "8Gi"
[[step]]
advance = "5s"
[[step]]
edit = [{ node = "system", cordoned = true, ready = false, taints = ["a=b:NoExecute"], annotations = { x = "y" } }]
change = [{ group = "web", capacity = 0 }]
)");
    loop.advance(5s);
    const api_server::ApiObject node = store.find(store.kind("nodes"), "", "system");
    EXPECT_TRUE(api_server::is_true_at(*node, "spec.unschedulable"));
    EXPECT_EQ(api_server::find_array(*node, "spec.taints")->size(), 1u);
    const json::object& annotations = *api_server::find_object(*node, "metadata.annotations");
    EXPECT_EQ(annotations.at("x"), "y");
    EXPECT_EQ(annotations.at("simulation.capstan.io/kubelet"), "stopped");
    EXPECT_THAT(changes, ElementsAre("5s"));
}

TEST_F(ScenarioPlayerTest, ContinuesWhenTheClusterIsIdle) {
    play(R"(
[[step]]
pods = [{ name = "lone", count = 1 }]
until = "idle"
expect_pending = 0
[[step]]
expect_pending = 1
)");
    loop.advance(5s);
    json::object node{{"metadata", json::object{{"name", "late"}}}};
    ASSERT_TRUE(store.create(store.kind("nodes"), "", node));
    loop.advance(9s);
    EXPECT_EQ(over, std::nullopt) << "a node was created in the meantime";
    loop.advance(2s);
    EXPECT_EQ(over, 1);
    EXPECT_THAT(reported,
                Contains("unmet: expectation not met: pending pods: expected 0, found 1"));
}

TEST_F(ScenarioPlayerTest, ReportsItsActionsAndTheStateOfPods) {
    const LiveEvents events(store, reporter());
    const auto put = [&](const char* node, const char* phase) {
        std::ignore =
            store.edit(store.kind("pods"), "default", "web-1",
                       [&](json::object& pod) {
                           api_server::set_value(pod, "spec.nodeName", json::string(node));
                           api_server::set_value(pod, "status.phase", json::string(phase));
                       },
                       {.part = api_server::ObjectPart::everything});
    };
    play(R"(
[[step]]
pods = [{ name = "web", count = 2 }]
advance = "1h"
)");
    loop.advance(1s);
    put("n1", "Running");
    loop.advance(1s);
    EXPECT_THAT(reported, ElementsAre("scenario: 2 pods of web are created",
                                      "pods: web: 0 pods bound, 2 pending",
                                      "pods: web: 1 pod bound, 1 pending"));
}

}  // namespace
}  // namespace capstan::simulator::live
