#include "runtime/daemon/debug_snapshot.hpp"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::runtime::daemon {
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

/// A node with a pod, and three equal pods that wait, of which the pass has helped one.
struct Snapshotz : ::testing::Test {
    Snapshotz() {
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
        engine::snapshot::PodGroupId waiting = 0;
        for (const engine::snapshot::PodIndex pod : cluster.unbound())
            waiting = cluster.equivalence_group_of(pod);
        pass.emplace(PassInput{
            .snapshot = {cluster, std::make_shared<const std::vector<engine::Group>>(1, group)},
            .call_context = {.now = noon}});
        pass->result.outcome.decision.schedulable = {{waiting, "shop/c", 1}};
    }
    /// Whatever came to it goes into `told`.
    Result<DebugSnapshot::RequestId> ask() {
        return snapshot.ask(
            [this](Result<TakenSnapshot> taken) { told.push_back(std::move(taken)); });
    }

    std::optional<PassReport> pass;
    DebugSnapshot snapshot;
    std::vector<Result<TakenSnapshot>> told;
};

TEST_F(Snapshotz, HasWhatThePassSawInUpstreamsForm) {
    ASSERT_TRUE(ask());
    snapshot.pass_began(noon);
    snapshot.pass_ended(&*pass, noon + 2s);
    ASSERT_EQ(told.size(), 1u);
    ASSERT_TRUE(told[0]);
    EXPECT_FALSE(told[0]->has_failed);
    const json::value seen = json::parse(told[0]->json);
    std::vector<std::string> keys;
    for (const auto& [key, value] : seen.as_object()) keys.emplace_back(key);
    EXPECT_THAT(keys, ElementsAre("NodeList", "UnscheduledPodsCanBeScheduled", "TemplateNodes",
                                  "StartTimestamp", "EndTimestamp"));
    const json::value& node = seen.at("NodeList").at(0);
    EXPECT_EQ(node.at("Node").at("metadata").at("name").as_string(), "n1");
    EXPECT_THAT(names(node.at("Pods")), ElementsAre("old"));
    EXPECT_THAT(names(seen.at("UnscheduledPodsCanBeScheduled")), ElementsAre("a", "b"));
    const json::value& made = seen.at("TemplateNodes").at("web").at("Node");
    EXPECT_EQ(made.at("metadata").at("labels").at("pool").as_string(), "web");
    EXPECT_EQ(made.at("status").at("allocatable").at("cpu").as_string(), "8");
    EXPECT_EQ(seen.at("StartTimestamp").as_string(), "2025-06-15T15:06:40Z");
    EXPECT_EQ(seen.at("EndTimestamp").as_string(), "2025-06-15T15:06:42Z");
}

TEST_F(Snapshotz, IsGatheredByAPassThatBeginsAfterTheQuestion) {
    snapshot.pass_began(noon);
    ASSERT_TRUE(ask());
    snapshot.pass_ended(&*pass, noon);
    EXPECT_THAT(told, IsEmpty()) << "it began without being asked";
    snapshot.pass_began(noon + 10s);
    snapshot.pass_ended(&*pass, noon + 10s);
    EXPECT_EQ(told.size(), 1u);
    snapshot.pass_began(noon + 20s);
    snapshot.pass_ended(&*pass, noon + 20s);
    EXPECT_EQ(told.size(), 1u) << "once";
}

TEST_F(Snapshotz, IsMadeForOneAtATime) {
    ASSERT_TRUE(ask());
    const auto second = ask();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::busy);
    snapshot.pass_began(noon);
    snapshot.pass_ended(&*pass, noon);
    EXPECT_EQ(told.size(), 1u);
    EXPECT_TRUE(ask()) << "the first one has its answer";
}

TEST_F(Snapshotz, IsGivenUpWhereNoPassComes) {
    const auto asked = ask();
    ASSERT_TRUE(asked);
    snapshot.give_up(*asked);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].error().code, ErrorCode::unavailable);
    snapshot.give_up(*asked);
    snapshot.pass_began(noon);
    snapshot.pass_ended(&*pass, noon);
    EXPECT_EQ(told.size(), 1u);
}

TEST_F(Snapshotz, SaysThatThePassFailed) {
    ASSERT_TRUE(ask());
    snapshot.pass_began(noon);
    snapshot.pass_ended(nullptr, noon);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(told[0]->has_failed);
    EXPECT_THAT(told[0]->json, HasSubstr("\"Error\":\"Unable to collect any data\""));
}

}  // namespace
}  // namespace capstan::runtime::daemon
