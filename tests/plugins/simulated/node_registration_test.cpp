#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

#include "nodes.hpp"
#include "refreshed.hpp"
#include "saved_state.hpp"
#include "simulated.hpp"
#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;
using ::testing::SizeIs;
using namespace std::chrono_literals;

const KubeResource nodes("", "v1", "nodes", "Node", false);

/// A cloud that registers its machines, on a host whose cluster and state survive restarts.
struct NodeRegistration : ::testing::Test {
    FakeHost host;
    Members members{{"size", 1}, {"boot", "1m"}};
    const Members db{{"id", "db"}, {"machine", machine()}};
    std::unique_ptr<Simulated> cloud = start();

    std::unique_ptr<Simulated> start() {
        return std::make_unique<Simulated>(host.host(), registering(web(members)));
    }
    static Config registering(const Members& group) {
        Config config = configured({group});
        config.register_nodes = true;
        return config;
    }
    /// Kills the process and starts another one.
    void kill() { cloud = start(); }
    Result<CloudView> refresh() { return refreshed(host, *cloud); }
    void grow(int by, int expected) {
        const Result<Resized> grown =
            run(host, cloud->increase(
                          {.group = NodeGroupId("web"), .delta = by, .expected_target = expected}));
        ASSERT_TRUE(grown) << grown.error();
    }
    void remove(int number) {
        Removal removal{.group = NodeGroupId("web")};
        removal.machines.emplace_back("simulated://web/" + std::to_string(number));
        const Result<Removed> removed = run(host, cloud->remove(removal));
        ASSERT_TRUE(removed) << removed.error();
    }
    /// Names of the Node objects after a refresh.
    std::vector<std::string> joined() {
        const Result<CloudView> view = refresh();
        EXPECT_TRUE(view) << view.error();
        std::vector<std::string> out;
        for (const Json& node : host.kube().objects(nodes))
            out.push_back(node.text_at({"metadata", "name"}));
        return out;
    }
    /// The messages in the log.
    std::vector<std::string> logged() const {
        std::vector<std::string> out;
        for (const auto& line : host.log_lines()) out.push_back(line.message);
        return out;
    }
    int target() { return refresh()->groups.at(0).target.value(); }
};

TEST_F(NodeRegistration, CreatesANodeWhenAMachineRuns) {
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    grow(1, 1);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    host.advance(1min);
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2"));
}

TEST_F(NodeRegistration, CopiesTheMachineToItsNode) {
    const Members group{{"id", "web"},
                        {"size", 1},
                        {"machine", machine({{"type", "m.large"},
                                             {"allocatable", testing::table({{"cpu", "3900m"}})},
                                             {"taints", testing::list("spot=yes:NoSchedule")}})}};
    Config config = configured({group});
    config.register_nodes = true;
    cloud = std::make_unique<Simulated>(host.host(), std::move(config));
    joined();
    const Json node = host.kube().find(nodes, "", "web-1").value();
    EXPECT_EQ(node.text_at({"spec", "providerID"}), "simulated://web/1");
    EXPECT_EQ(node.text_at({"metadata", "annotations", "kwok.x-k8s.io/node"}), "fake");
    EXPECT_EQ(node.text_at({"metadata", "labels", "kubernetes.io/hostname"}), "web-1");
    EXPECT_EQ(node.text_at({"metadata", "labels", "node.kubernetes.io/instance-type"}), "m.large");
    EXPECT_EQ(node.text_at({"metadata", "labels", "simulated.capstan.io/cloud"}), "test");
    EXPECT_EQ(node.text_at({"status", "capacity", "cpu"}), "4");
    EXPECT_EQ(node.text_at({"status", "allocatable", "cpu"}), "3900m");
    EXPECT_EQ(node.text_at({"status", "capacity", "memory"}), "16Gi");
    EXPECT_EQ(to_string(*node.find({"spec", "taints"})),
              R"([{"key":"spot","effect":"NoSchedule","value":"yes"}])");
}

TEST_F(NodeRegistration, DeletesTheNodeOfARemovedMachine) {
    grow(1, 1);
    host.advance(1min);
    ASSERT_THAT(joined(), ElementsAre("web-1", "web-2"));
    remove(1);
    EXPECT_THAT(joined(), ElementsAre("web-2"));
}

TEST_F(NodeRegistration, RecreatesADeletedNode) {
    joined();
    host.kube().remove(nodes, "", "web-1");
    host.advance(1s);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
}

TEST_F(NodeRegistration, SendsNoRequestsWithoutChanges) {
    joined();
    joined();
    const std::size_t requests = host.kube().requests().size();
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    EXPECT_EQ(host.kube().requests().size(), requests);
    grow(1, 1);
    host.advance(1min);
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2"));
    EXPECT_EQ(host.kube().requests().size(), requests + 1) << "the new node";
    host.advance(1s);
    joined();
    EXPECT_EQ(host.kube().requests().size(), requests + 1);
}

TEST(RegisteredNodes, AreBehindUntilTheWatchShowsOwnChanges) {
    FakeHost host;
    Nodes own(host.host());
    EXPECT_FALSE(own.is_behind());
    std::ignore = run(host, own.create("web-1", R"({"metadata":{"name":"web-1",
        "labels":{"simulated.capstan.io/cloud":"test"}}})"));
    EXPECT_TRUE(own.is_behind());
    own.follow();
    host.advance(1s);
    EXPECT_FALSE(own.is_behind());
    ASSERT_NE(own.find_followed(), nullptr);
    std::ignore = run(host, own.remove(own.find_followed()->at("web-1")));
    host.advance(1s);
    EXPECT_FALSE(own.is_behind());
    EXPECT_THAT(*own.find_followed(), IsEmpty());
}

/// A node of the cluster, with the label "more".
std::string node_text(const char* launched_ms, const char* label) {
    return std::string(R"({"metadata":{"name":"web-1","annotations":{
        "simulated.capstan.io/launched-ms":")") +
           launched_ms + R"("},"labels":{"simulated.capstan.io/cloud":"test","more":")" + label +
           R"("}},"spec":{"providerID":"simulated://web/1"}})";
}

TEST(RegisteredNodes, ChangeTheirVersionOnlyIfAMachineChanges) {
    FakeHost host;
    Nodes own(host.host());
    own.follow();
    const auto shown = [&](const std::string& object) {
        host.kube().put_text(nodes, object);
        host.advance(1s);
        return own.version();
    };
    const std::uint64_t joined = shown(node_text("1000", "a"));
    EXPECT_EQ(shown(node_text("1000", "b")), joined) << "a label is not part of the machine";
    EXPECT_GT(shown(node_text("2000", "b")), joined);
    EXPECT_EQ(own.find_followed()->at("web-1").launched, Time(2s));
    const std::uint64_t before = own.version();
    host.kube().remove(nodes, "", "web-1");
    host.advance(1s);
    EXPECT_GT(own.version(), before);
}

TEST_F(NodeRegistration, ListsNodesWhileTheWatchIsBroken) {
    joined();
    joined();
    host.kube().trouble({ErrorCode::unavailable, "the server is away"});
    host.advance(1s);
    const std::size_t requests = host.kube().requests().size();
    joined();
    EXPECT_EQ(host.kube().requests().size(), requests + 1);
    host.kube().put_text(nodes, R"({"metadata":{"name":"web-9","labels":
        {"simulated.capstan.io/cloud":"test"}},"spec":{"providerID":"simulated://gone/9"}})");
    host.advance(1s);
    EXPECT_THAT(joined(), ElementsAre("web-1")) << "the watch works again";
    EXPECT_EQ(host.kube().requests().size(), requests + 2) << "one node is deleted";
}

TEST_F(NodeRegistration, ListsNodesEachTimeWithoutTheGrantToWatch) {
    host.kube().grant("nodes:list,create,delete");
    joined();
    const std::size_t requests = host.kube().requests().size();
    joined();
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    EXPECT_EQ(host.kube().requests().size(), requests + 2);
    host.kube().remove(nodes, "", "web-1");
    EXPECT_THAT(joined(), ElementsAre("web-1"));
}

TEST_F(NodeRegistration, KeepsForeignNodes) {
    host.kube().put_text(nodes,
                         R"({"metadata":{"name":"real"},"spec":{"providerID":"aws:///i-1"}})");
    EXPECT_THAT(joined(), ElementsAre("real", "web-1"));
}

TEST_F(NodeRegistration, KeepsANodeThatIsShownWithoutItsProviderId) {
    joined();
    host.kube().remove(nodes, "", "web-1");
    host.kube().put_text(nodes, R"({"metadata":{"name":"web-1","labels":
        {"simulated.capstan.io/cloud":"test"}}})");
    host.advance(1s);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    EXPECT_EQ(host.kube().objects(nodes).at(0).text_at({"spec", "providerID"}), "");
    joined();
    EXPECT_THAT(logged(), ElementsAre(HasSubstr("node web-1 has the label of this cloud, but "
                                                "no providerID")));
}

TEST_F(NodeRegistration, LogsTheNodesThatItDeletes) {
    joined();
    host.kube().put_text(nodes, R"({"metadata":{"name":"copy","labels":
        {"simulated.capstan.io/cloud":"test"}},"spec":{"providerID":"simulated://web/1"}})");
    host.advance(1s);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    remove(1);
    joined();
    EXPECT_THAT(logged(),
                ElementsAre("deleted node copy, whose machine web/1 has a node of its own",
                            "deleted node web-1, whose machine web/1 is gone"));
}

TEST_F(NodeRegistration, ReplacesANodeOfAnotherMachine) {
    joined();
    host.kube().remove(nodes, "", "web-1");
    host.kube().put_text(nodes, R"({"metadata":{"name":"web-1","labels":
        {"simulated.capstan.io/cloud":"test"}},"spec":{"providerID":"simulated://db/1"}})");
    host.advance(1s);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    const Json node = host.kube().objects(nodes).at(0);
    EXPECT_EQ(node.text_at({"spec", "providerID"}), "simulated://web/1");
}

TEST_F(NodeRegistration, KeepsMachinesAndRequestsAfterAKill) {
    grow(1, 1);
    host.advance(30s);
    grow(1, 2);
    kill();
    EXPECT_EQ(target(), 3);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    host.advance(30s);
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2")) << "each after its own boot time";
    kill();
    host.advance(30s);
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2", "web-3"));
}

TEST_F(NodeRegistration, DeletesANodeAfterAKillDuringItsRemoval) {
    joined();
    remove(1);
    kill();
    EXPECT_THAT(joined(), IsEmpty());
    EXPECT_EQ(target(), 0);
}

TEST_F(NodeRegistration, RestoresMachinesFromNodesWithoutAState) {
    grow(2, 1);
    host.advance(1min);
    joined();
    remove(1);
    ASSERT_THAT(joined(), ElementsAre("web-2", "web-3"));
    FakeHost other;
    for (const Json& node : host.kube().objects(nodes)) other.kube().put(nodes, node);
    Config config = configured({web(members)});
    config.register_nodes = true;
    Simulated again(other.host(), std::move(config));
    const Result<CloudView> view = refreshed(other, again);
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups.at(0).target, 2);
    EXPECT_EQ(view->machines.at(0).id, MachineId("simulated://web/2"));
    EXPECT_EQ(other.kube().objects(nodes).size(), 2u);
    Resize one{.group = NodeGroupId("web"), .delta = 1, .expected_target = 2};
    ASSERT_TRUE(run(other, again.increase(one)));
    EXPECT_EQ(refreshed(other, again)->machines.at(2).id, MachineId("simulated://web/4"))
        << "no number is used twice";
}

/// The group is removed from the settings file and added again.
TEST_F(NodeRegistration, KeepsTheNodesOfAGroupRemovedFromTheSettings) {
    grow(1, 1);
    host.advance(1min);
    ASSERT_THAT(joined(), ElementsAre("web-1", "web-2"));
    const Config before = registering(web(members));
    cloud->reconfigure(registering(db));
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2"));
    EXPECT_THAT(refresh()->machines, IsEmpty()) << "they are in no group";
    cloud->reconfigure(before);
    EXPECT_EQ(target(), 2);
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2"));
    grow(1, 2);
    EXPECT_EQ(refresh()->machines.back().id, MachineId("simulated://web/3"));
}

TEST_F(NodeRegistration, AvoidsNodeNamesOfARemovedGroup) {
    ASSERT_THAT(joined(), ElementsAre("web-1"));
    cloud->reconfigure(registering({{"id", "Web"}, {"machine", machine()}, {"size", 1}}));
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2"));
}

TEST_F(NodeRegistration, RemembersARemovedGroupAfterARestart) {
    ASSERT_THAT(joined(), ElementsAre("web-1"));
    cloud = std::make_unique<Simulated>(host.host(), registering(db));
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    const Resize one{.group = NodeGroupId("db"), .delta = 1};
    ASSERT_TRUE(run(host, cloud->increase(one))) << "which saves the whole state";
    kill();
    EXPECT_EQ(target(), 1);
    EXPECT_THAT(joined(), ElementsAre("web-1"));
}

TEST_F(NodeRegistration, KeepsNodesOfARemovedGroupWithoutAState) {
    ASSERT_THAT(joined(), ElementsAre("web-1"));
    FakeHost other;
    for (const Json& node : host.kube().objects(nodes)) other.kube().put(nodes, node);
    Simulated again(other.host(), registering(db));
    EXPECT_THAT(refreshed(other, again)->machines, IsEmpty());
    EXPECT_THAT(other.kube().objects(nodes), SizeIs(1));
}

TEST_F(NodeRegistration, SharesItsStateBetweenTwoProcesses) {
    EXPECT_EQ(target(), 1);
    const std::unique_ptr<Simulated> standby = start();
    EXPECT_EQ(refreshed(host, *standby)->groups.at(0).target, 1);
    grow(1, 1);
    EXPECT_EQ(refreshed(host, *standby)->groups.at(0).target, 2);
    remove(1);
    EXPECT_EQ(refreshed(host, *standby)->groups.at(0).target, 1);
    EXPECT_THAT(joined(), IsEmpty()) << "the second machine has not booted";
}

TEST_F(NodeRegistration, ReportsRefusedNodesInTheRefresh) {
    host.kube().fail(KubeVerb::create, "nodes", {ErrorCode::permission, "forbidden"});
    const Result<CloudView> refused = refresh();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (Error{ErrorCode::unavailable, "create node web-1: forbidden"}))
        << "the credentials of the cloud are not at fault";
    EXPECT_THAT(joined(), ElementsAre("web-1")) << "in the next refresh";
}

TEST_F(NodeRegistration, WritesNothingInADryRun) {
    const Error dry{ErrorCode::cancelled, "not sent: a dry run"};
    host.kube().fail(KubeVerb::create, "nodes", dry);
    EXPECT_EQ(target(), 1);
    EXPECT_THAT(host.kube().objects(nodes), IsEmpty());
    EXPECT_THAT(joined(), ElementsAre("web-1"));
    remove(1);
    host.kube().fail(KubeVerb::remove, "nodes", dry);
    EXPECT_EQ(target(), 0);
    EXPECT_THAT(host.kube().objects(nodes), SizeIs(1));
}

TEST_F(NodeRegistration, ReportsAMissingStateGrantInTheRefresh) {
    host.withhold(CAPSTAN_SERVICE_STATE);
    EXPECT_THAT(refresh().error().message,
                HasSubstr("register_nodes cannot save the machines: state is not granted"));
}

TEST_F(NodeRegistration, ReadsNodesPageByPage) {
    members[0].second = 501;
    cloud = start();
    EXPECT_EQ(joined().size(), 501u);
    EXPECT_EQ(joined().size(), 501u);
    EXPECT_EQ(host.kube().objects(nodes).size(), 501u);
}

TEST_F(NodeRegistration, KeepsNodesAndBootTimesIfTheClockIsSet) {
    for (const Duration step : {Duration(-2h), Duration(20min)}) {
        const std::vector<std::string> before = joined();
        const int size = static_cast<int>(before.size());
        grow(1, size);
        host.advance(30s);
        host.step_wall(step);
        EXPECT_EQ(joined(), before);
        host.advance(30s);
        EXPECT_THAT(joined(), SizeIs(size + 1)) << "after its boot time";
    }
}

TEST_F(NodeRegistration, ContinuesFromItsStateUnderAnotherClock) {
    const auto begin_after = [&](Duration step) {
        host.step_wall(step);
        kill();
        return joined();
    };
    grow(1, 1);
    host.advance(1min);
    ASSERT_THAT(joined(), ElementsAre("web-1", "web-2"));
    grow(1, 2);
    host.advance(30s);
    EXPECT_THAT(begin_after(-2h), ElementsAre("web-1", "web-2"));
    host.advance(30s);
    EXPECT_THAT(joined(), ElementsAre("web-1", "web-2"))
        << "this clock cannot measure how long the third has booted";
    host.advance(30s);
    EXPECT_THAT(joined(), SizeIs(3));
    EXPECT_THAT(begin_after(20min), SizeIs(3));
    EXPECT_EQ(target(), 3);
}

TEST(NodeName, IsAValidKubernetesName) {
    EXPECT_EQ(node_name(NodeGroupId("web"), 3), "web-3");
    EXPECT_EQ(node_name(NodeGroupId("Web_A.b"), 12), "web-a-b-12");
    EXPECT_EQ(node_name(NodeGroupId("__"), 1), "machine-1");
    EXPECT_EQ(number_of(MachineId("simulated://web/3")), 3);
    for (const char* const other :
         {"", "simulated://", "simulated://3", "simulated://a/x", "simulated://a/0",
          "aws:///zone/3", "simulated://a/99999999999"})
        EXPECT_EQ(number_of(MachineId(other)), 0) << other;
}

TEST(SavedState, IsReadAsItWasWritten) {
    const Time start{1000s};
    Ledger ledger{.start = start, .saved = start + 90s};
    ledger.groups["web"] = {
        7,
        {{3, "m.large", start, start + 1ms, std::nullopt},
         {7, "", start + 5s, std::nullopt, std::nullopt},
         {8, "", start - 5s, start, start + 1h},
         {9, "", start, start, std::nullopt, Leaving{LeaveReason::maintenance, start + 2h}}}};
    ledger.groups["empty"] = {};
    const Result<Ledger> read = parse_ledger(to_text(ledger));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, ledger);
}

TEST(SavedState, HoldsAThousandMachinesWithinTheSizeLimit) {
    const Time start{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};
    Ledger ledger{.start = start, .saved = start + 24h * 30};
    for (int i = 1; i <= 1000; ++i) {
        const Time requested = start + 24h * 30 - 1s * i;
        ledger.groups["web"].machines.push_back({i, "m.large", requested, requested, std::nullopt});
    }
    EXPECT_LT(to_text(ledger).size(), std::size_t{64} << 10);
}

TEST(SavedState, RejectsMalformedText) {
    for (const char* const text :
         {"", "{}", "[]", R"({"start":1,"saved":2,"groups":{}})",
          R"({"start":1,"saved":"x","written":3,"groups":{}})",
          R"({"start":1,"saved":2,"written":3,"groups":{"a":{}}})",
          R"({"start":1,"saved":2,"written":3,"groups":{"a":{"last":1,"machines":[[1,2]]}}})",
          R"({"start":1,"saved":2,"written":3,)"
          R"("groups":{"a":{"last":1,"machines":[[0,2,null,null]]}}})",
          R"({"start":1,"saved":2,"written":3,)"
          R"("groups":{"a":{"last":1,"machines":[[1,null,null,null]]}}})"}) {
        EXPECT_FALSE(parse_ledger(text)) << text;
    }
}

}  // namespace
}  // namespace capstan::simulated
