#include "autoscaler/daemon/leader_handover.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include <capstan/json.hpp>

#include "autoscaler/daemon/memory_maps.hpp"
#include "autoscaler/record/memory_text.hpp"
#include "live_cluster.hpp"
#include "plugin_runtime/services/state_store.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;

constexpr Time cluster_start(1'795'255'200s);  // the start of a LiveCluster

constexpr const char* group_of_two = R"(register_nodes = true
groups = [{ id = "web", size = 2, max = 5, boot = "1s", machine = { cpu = "4", memory = "16Gi" } }])";

/// The state of the cloud plugin after another leader removed web-2.
std::string without_web_2(const std::string& text) {
    plugin_runtime::services::InstanceState state =
        plugin_runtime::services::find_printable_state(text).value();
    state.store_name = "another";
    StoredValue& kept = state.values.at("machines");
    Json ledger = parse_json(kept.value).value();
    const Json machines = ledger.at("groups").at("web").at("machines");
    ledger.at("groups").at("web").set("machines", Json::array({machines.items().at(0)}));
    kept = {.value = to_string(ledger), .revision = 1};
    return plugin_runtime::services::printable_state(state);
}

/// The daemon leads, then another host leads and may change `capstan-memory`, then the daemon leads
/// again.
struct LeaderHandoverTest : ::testing::Test {
    LiveCluster cluster{"", group_of_two};
    std::optional<PassInput> first, again;  ///< the last pass of a term, the first of the next

    void lead_twice(const std::function<void()>& meanwhile) {
        cluster.on_pass = [this](const PassReport& pass) {
            if (cluster.now() < 25s) first = pass.input;
            if (cluster.now() > 30s && !again) again = pass.input;
        };
        cluster.at(25s, [this] { cluster.take_lease("another"); });
        cluster.at(30s, meanwhile);
        cluster.at(35s, [this] { cluster.take_lease(""); });
        cluster.run(60s);
    }
    void edit_state(const char* key, const std::function<std::string(const std::string&)>& change) {
        cluster.edit("configmaps", "capstan-memory", [&](boost::json::object& map) {
            boost::json::value& text = map.at("data").as_object()[key];
            text = change(text.is_string() ? std::string(text.as_string()) : "");
        });
    }
    std::string another_hosts_text(const engine::Memory& memory) {
        const Time now = cluster_start + cluster.now();
        return record::memory_text(memory, "another", {}, now).value();
    }
    static int target(const std::optional<PassInput>& pass) {
        return pass.value().snapshot.groups->at(0).group.target.value();
    }
};

TEST_F(LeaderHandoverTest, ReadsTheMemoryOfTheLeaderInBetween) {
    lead_twice([&] {
        edit_state("memory", [this](const std::string& text) {
            engine::Memory memory = record::parse_memory(text, "memory").value();
            memory.backoffs[NodeGroupId("web")] = {.since = cluster_start + 20s,
                                                   .until = cluster_start + 1h + 20s,
                                                   .length = 1h,
                                                   .last_failure = cluster_start + 20s,
                                                   .because = "no machines"};
            return another_hosts_text(memory);
        });
    });
    ASSERT_TRUE(first && again);
    EXPECT_FALSE(first->memory.backoffs.contains(NodeGroupId("web")));
    EXPECT_TRUE(again->memory.backoffs.contains(NodeGroupId("web")));
    EXPECT_FALSE(again->memory.started) << "as after a start";
}

TEST_F(LeaderHandoverTest, KeepsUnsavedMemoryIfNoOtherLeaderWrote) {
    cluster.at(20s, [this] {
        // The decision is written, its results are not.
        cluster.server->faults().add({.verb = "update",
                                      .resource = "configmaps",
                                      .name = "capstan-memory",
                                      .skip = 1,
                                      .status = 403,
                                      .times = std::nullopt});
        // Two of them fit on the existing nodes.
        for (const char* pod : {"web-1", "web-2", "web-3"}) cluster.add_pending_pod(pod);
    });
    lead_twice([] {});
    ASSERT_TRUE(first && again);
    EXPECT_GE(again->memory.last.scale_up, cluster_start + 20s);
    EXPECT_FALSE(again->memory.started) << "as after a start";
}

TEST_F(LeaderHandoverTest, SpreadsMemoryThatDoesNotFitIntoItsConfigMap) {
    const auto data_of = [this](const char* name) {
        const auto map = cluster.find("configmaps", name);
        return map ? map->at("data").as_object() : boost::json::object{};
    };
    cluster.at(27s, [&] {
        edit_state("state.absent",
                   [](const std::string&) { return std::string(MemoryMaps::first_max - 1, 'x'); });
    });
    lead_twice([] {});
    EXPECT_TRUE(data_of("capstan-memory").contains("memory-rest"));
    EXPECT_TRUE(data_of("capstan-memory-1").contains("memory-a"));
    EXPECT_EQ(data_of("capstan-memory").at("memory").as_string(), "");
    EXPECT_THAT(cluster.metrics(), ::testing::HasSubstr("capstan_memory_unwritten 0\n"));
}

TEST_F(LeaderHandoverTest, TreatsTheTimeWithoutLeadershipAsUnobserved) {
    lead_twice([] {});
    ASSERT_TRUE(first && again);
    ASSERT_TRUE(again->memory.unobserved_since);
    EXPECT_GE(*again->memory.unobserved_since, first->call_context.now);
    EXPECT_LT(*again->memory.unobserved_since, cluster_start + 30s) << "no pass ran since";
}

TEST_F(LeaderHandoverTest, DropsItsOwnMemoryIfAnotherLeaderWrote) {
    lead_twice([&] {
        edit_state("memory", [this](const std::string&) {
            engine::Memory memory;
            memory.last.scale_up = cluster_start + 1s;
            return another_hosts_text(memory);
        });
    });
    ASSERT_TRUE(again);
    EXPECT_EQ(again->memory.last.scale_up, cluster_start + 1s);
}

TEST_F(LeaderHandoverTest, PassesStateOfTheOtherLeaderToPlugins) {
    lead_twice([&] {
        edit_state("state.cloud", without_web_2);
        ASSERT_TRUE(cluster.store->remove(cluster.store->kind("nodes"), "", "web-2"));
    });
    EXPECT_EQ(target(first), 2);
    EXPECT_EQ(target(again), 1);
    EXPECT_EQ(cluster.find("nodes", "web-2", ""), nullptr) << "the node is not created again";
}

TEST_F(LeaderHandoverTest, KeepsPluginStateIfNobodyElseWrote) {
    lead_twice([] {});
    EXPECT_EQ(target(first), 2);
    EXPECT_EQ(target(again), 2);
    EXPECT_NE(cluster.find("nodes", "web-2", ""), nullptr);
}

TEST_F(LeaderHandoverTest, KeepsPluginStateIfTheOtherStateIsUnreadable) {
    lead_twice(
        [&] { edit_state("state.cloud", [](const std::string&) { return "something else"; }); });
    EXPECT_EQ(target(again), 2);
}

/// The target of the group in the first pass of a daemon whose memory ConfigMap is `memory`.
int first_target(const std::filesystem::path& state, const boost::json::object& memory) {
    LiveCluster cluster("", group_of_two, {}, state);
    cluster.make("configmaps", "kube-system", memory);
    std::optional<int> target;
    cluster.on_pass = [&](const PassReport& pass) {
        if (!target) target = pass.input.snapshot.groups->at(0).group.target;
    };
    cluster.run(10s);
    return target.value();
}

TEST(LeaderHandover, ReplacesAnUnreadableStateFileByTheCopyInTheCluster) {
    const plugin_runtime::TemporaryFolder folder;
    boost::json::object memory;
    {
        LiveCluster cluster("", group_of_two, {}, folder.path());
        for (const char* pod : {"web-1", "web-2", "web-3", "web-4"}) cluster.add_pending_pod(pod);
        cluster.run(30s);
        memory = *cluster.find("configmaps", "capstan-memory");
    }
    memory.at("metadata").as_object().erase("resourceVersion");
    std::ofstream(folder.path() / "cloud.state", std::ios::trunc) << "capstan-st";
    EXPECT_EQ(first_target(folder.path(), memory), 4);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "cloud.state.unreadable"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
