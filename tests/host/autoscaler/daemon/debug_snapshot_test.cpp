#include "autoscaler/daemon/debug_snapshot.hpp"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
namespace json = boost::json;

const Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

std::vector<std::string> names(const json::value& objects) {
    std::vector<std::string> out;
    for (const json::value& object : objects.as_array())
        out.emplace_back(object.at("metadata").at("name").as_string());
    return out;
}

/// A node with a pod, and three equal pending pods: the pass makes one of them schedulable with a
/// new node, the other two fit on existing nodes.
struct DebugSnapshotTest : ::testing::Test {
    DebugSnapshotTest() {
        engine::snapshot::ClusterBuilder builder;
        builder.set(engine::snapshot::NodeObject{
            .name = "n1", .capacity = {{"cpu", 4000}}, .allocatable = {{"cpu", 4000}}});
        builder.set(engine::snapshot::PodObject{
            .ns = "shop", .name = "old", .uid = "u0", .node_name = "n1"});
        for (const char* name : {"c", "a", "b"})
            builder.set(engine::snapshot::PodObject{.ns = "shop",
                                                    .name = name,
                                                    .uid = name,
                                                    .spec = {.requests = {{"cpu", 500}}},
                                                    .unscheduled_reason = "Unschedulable"});
        const engine::Group group{.group = {.id = NodeGroupId("web"), .max = 3, .target = 0},
                                  .described = std::make_shared<const NodeTemplate>(
                                      NodeTemplate{.labels = {{"pool", "web"}},
                                                   .capacity = {{"cpu", 8000}},
                                                   .allocatable = {{"cpu", 8000}}})};
        const engine::snapshot::Cluster cluster = builder.build();
        engine::PodGroupId pending = 0;
        for (const engine::PodIndex pod : cluster.unbound())
            pending = cluster.equivalence_group_of(pod);
        pass.emplace(PassInput{
            .snapshot = {cluster, std::make_shared<const std::vector<engine::Group>>(1, group)},
            .call_context = {.now = noon}});
        pass->result.outcome.decision.schedulable = {{pending, "shop/c", 1}};
    }
    /// Requests a snapshot; its result is added to `results`.
    Result<DebugSnapshot::RequestId> request() {
        return snapshot.ask(
            [this](Result<TakenSnapshot> taken) { results.push_back(std::move(taken)); });
    }

    std::optional<PassReport> pass;
    DebugSnapshot snapshot;
    std::vector<Result<TakenSnapshot>> results;
};

TEST_F(DebugSnapshotTest, HasTheStateOfThePassInUpstreamsFormat) {
    ASSERT_TRUE(request());
    snapshot.pass_began(noon);
    snapshot.pass_ended(&*pass, noon + 2s);
    ASSERT_EQ(results.size(), 1u);
    ASSERT_TRUE(results[0]);
    EXPECT_FALSE(results[0]->has_failed);
    const json::value document = json::parse(results[0]->json);
    std::vector<std::string> keys;
    for (const auto& [key, value] : document.as_object()) keys.emplace_back(key);
    EXPECT_THAT(keys, ElementsAre("NodeList", "UnscheduledPodsCanBeScheduled", "TemplateNodes",
                                  "StartTimestamp", "EndTimestamp"));
    const json::value& node = document.at("NodeList").at(0);
    EXPECT_EQ(node.at("Node").at("metadata").at("name").as_string(), "n1");
    EXPECT_THAT(names(node.at("Pods")), ElementsAre("old"));
    EXPECT_THAT(names(document.at("UnscheduledPodsCanBeScheduled")), ElementsAre("a", "b"));
    const json::value& template_node = document.at("TemplateNodes").at("web").at("Node");
    EXPECT_EQ(template_node.at("metadata").at("labels").at("pool").as_string(), "web");
    EXPECT_EQ(template_node.at("status").at("allocatable").at("cpu").as_string(), "8");
    EXPECT_EQ(document.at("StartTimestamp").as_string(), "2025-06-15T15:06:40Z");
    EXPECT_EQ(document.at("EndTimestamp").as_string(), "2025-06-15T15:06:42Z");
}

TEST_F(DebugSnapshotTest, IsTakenByAPassThatBeginsAfterTheRequest) {
    EXPECT_FALSE(snapshot.is_asked());
    snapshot.pass_began(noon);
    ASSERT_TRUE(request());
    snapshot.pass_ended(&*pass, noon);
    EXPECT_THAT(results, IsEmpty()) << "it began before the request";
    EXPECT_TRUE(snapshot.is_asked());
    snapshot.pass_began(noon + 10s);
    snapshot.pass_ended(&*pass, noon + 10s);
    EXPECT_EQ(results.size(), 1u);
    EXPECT_FALSE(snapshot.is_asked());
    snapshot.pass_began(noon + 20s);
    snapshot.pass_ended(&*pass, noon + 20s);
    EXPECT_EQ(results.size(), 1u) << "once";
}

TEST_F(DebugSnapshotTest, AllowsOneRequestAtATime) {
    ASSERT_TRUE(request());
    const auto second = request();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::busy);
    snapshot.pass_began(noon);
    snapshot.pass_ended(&*pass, noon);
    EXPECT_EQ(results.size(), 1u);
    EXPECT_TRUE(request()) << "the first request was answered";
}

TEST_F(DebugSnapshotTest, EndsWithAnErrorIfNoPassRuns) {
    const auto id = request();
    ASSERT_TRUE(id);
    snapshot.give_up(*id);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].error().code, ErrorCode::unavailable);
    snapshot.give_up(*id);
    snapshot.pass_began(noon);
    snapshot.pass_ended(&*pass, noon);
    EXPECT_EQ(results.size(), 1u);
}

TEST_F(DebugSnapshotTest, ReportsAFailedPass) {
    ASSERT_TRUE(request());
    snapshot.pass_began(noon);
    snapshot.pass_ended(nullptr, noon);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_TRUE(results[0]->has_failed);
    EXPECT_THAT(results[0]->json, HasSubstr("\"Error\":\"Unable to collect any data\""));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
