#include "engine/templates/membership.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::templates {
namespace {

/// The groups of all nodes in order of names; "-" for nodes without a group.
std::string groups_of_nodes(const TestCluster& test_cluster) {
    const Snapshot snapshot = test_cluster.snapshot();
    const Membership membership = make_membership(snapshot);
    std::string out;
    for (NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) {
        const auto& at = membership.machine_of[n];
        out += out.empty() ? "" : " ";
        out += at ? (*snapshot.groups)[at->group].group.id.value() : "-";
    }
    return out;
}

TEST(Membership, FindsNodesByProviderId) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.group("b");
    test_cluster.machine("b", "cloud:///1");
    test_cluster.machine("a", "cloud:///2");
    test_cluster.node("n1").provider_id = "cloud:///1";
    test_cluster.node("n2").provider_id = "cloud:///2";
    test_cluster.node("n3").provider_id = "cloud:///3";
    EXPECT_EQ(groups_of_nodes(test_cluster), "b a -");
}

TEST(Membership, FindsNodesWithoutAProviderIdByNameHostnameOrInstanceId) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.machine("a", "n1");
    test_cluster.machine("a", "cloud:///zone/1").node_name = "n2";
    test_cluster.machine("a", "cloud:///zone/i-3");
    test_cluster.machine("a", "cloud:///zone/i-4").node_name = "ip-10-0-0-4";
    test_cluster.node("n1");
    test_cluster.node("n2");
    test_cluster.node("i-3");
    test_cluster.node("n4").labels["kubernetes.io/hostname"] = "ip-10-0-0-4";
    test_cluster.node("n5");
    EXPECT_EQ(groups_of_nodes(test_cluster), "a a a a -");
}

TEST(Membership, ComparesNamesUnlessTheProviderIdNamesAnotherMachine) {
    TestCluster test_cluster;
    test_cluster.group("a");
    for (const char* machine : {"i-1", "i-2", "i-3", "i-4"})
        test_cluster.machine("a", std::string("cloud:///zone/") + machine);
    test_cluster.node("n1").provider_id = "i-1";
    test_cluster.node("n2").provider_id = "cloud:///other-zone/i-2";
    test_cluster.node("i-3").provider_id = "other://cluster/9";
    test_cluster.node("i-4").provider_id = "cloud:///zone/";
    EXPECT_EQ(groups_of_nodes(test_cluster), "a a a a");
}

TEST(Membership, PrefersTheProviderIdToTheName) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.machine("a", "cloud:///zone/i-1");
    test_cluster.machine("a", "cloud:///zone/i-2").node_name = "n1";
    test_cluster.machine("a", "cloud:///a/3").node_name = "n3";
    test_cluster.machine("a", "cloud:///zone/i-4").node_name = "n4";
    test_cluster.node("n1").provider_id = "cloud:///zone/i-1";
    test_cluster.node("n3").provider_id = "cloud:///b/3";
    test_cluster.node("n4").provider_id = "cloud:///zone/i-9";
    const Snapshot snapshot = test_cluster.snapshot();
    const Membership membership = make_membership(snapshot);
    EXPECT_EQ(groups_of_nodes(test_cluster), "a - -") << "n4 may belong to a removed machine";
    EXPECT_EQ(find_machine(snapshot, membership, 0)->id, MachineId("cloud:///zone/i-1"));
}

TEST(Membership, IgnoresANameOfTwoMachines) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.group("b");
    test_cluster.machine("a", "cloud:///zone-a/web-1");
    test_cluster.machine("b", "cloud:///zone-b/web-1");
    test_cluster.node("web-1");
    EXPECT_EQ(groups_of_nodes(test_cluster), "-");
    test_cluster.node("n2").provider_id = "cloud:///zone-a/web-1";
    EXPECT_EQ(groups_of_nodes(test_cluster), "a b") << "one of the two machines has its node";
}

/// A machine with an address, and a node with this address but without the machine's provider id
/// and names.
class MembershipByAddress : public ::testing::Test {
protected:
    MembershipByAddress() {
        test_cluster.group("a");
        test_cluster.group("b");
        add_machine("a", "cloud:///zone/1", "10.0.0.1");
        add_node("n1", "10.0.0.1");
    }
    Machine& add_machine(const std::string& group, const std::string& id,
                         const std::string& address) {
        Machine& machine = test_cluster.machine(group, id);
        machine.addresses = {address};
        machine.launched = noon;
        return machine;
    }
    snapshot::NodeObject& add_node(const std::string& name, const std::string& address) {
        snapshot::NodeObject& node = test_cluster.node(name);
        node.addresses = {"192.0.2." + name.substr(1), address};
        node.created = noon + 1min;
        return node;
    }
    TestCluster test_cluster;
};

TEST_F(MembershipByAddress, FindsANodeByAnAddressOfItsMachine) {
    add_machine("b", "cloud:///zone/2", "fd00::2");
    add_node("n2", "fd00::2");
    add_node("n3", "10.0.0.3");
    EXPECT_EQ(groups_of_nodes(test_cluster), "a b -");
}

TEST_F(MembershipByAddress, FindsANodeByADnsNameOfItsMachine) {
    add_machine("b", "cloud:///zone/2", "ip-10-0-0-2.internal");
    snapshot::NodeObject& node = test_cluster.node("ip-10-0-0-2.internal");
    node.created = noon + 1min;
    node.addresses = {node.name};
    EXPECT_EQ(groups_of_nodes(test_cluster), "b a");
}

TEST_F(MembershipByAddress, IgnoresAnAddressOfTwoMachines) {
    add_machine("b", "cloud:///zone/2", "10.0.0.1");
    EXPECT_EQ(groups_of_nodes(test_cluster), "-");
    test_cluster.node("n2").provider_id = "cloud:///zone/2";
    EXPECT_EQ(groups_of_nodes(test_cluster), "- b")
        << "also if one of the two machines has its node";
}

TEST_F(MembershipByAddress, IgnoresAnAddressOfTwoNodes) {
    add_node("n2", "10.0.0.1");
    EXPECT_EQ(groups_of_nodes(test_cluster), "- -");
    add_machine("b", "cloud:///zone/2", "10.0.0.2");
    test_cluster.change_node("n2").provider_id = "cloud:///zone/2";
    EXPECT_EQ(groups_of_nodes(test_cluster), "- b")
        << "also if one of the two nodes has its machine";
}

TEST_F(MembershipByAddress, PrefersTheNameToTheAddress) {
    test_cluster.node("n2").addresses = {"10.0.0.9"};
    test_cluster.change_group("a").machines.front().node_name = "n2";
    EXPECT_EQ(groups_of_nodes(test_cluster), "- a");
}

TEST_F(MembershipByAddress, PrefersTheProviderIdToTheAddress) {
    test_cluster.change_node("n1").provider_id = "cloud:///zone/9";
    EXPECT_EQ(groups_of_nodes(test_cluster), "-");
    test_cluster.change_node("n1").provider_id = "other://9";
    EXPECT_EQ(groups_of_nodes(test_cluster), "a");
}

TEST_F(MembershipByAddress, IgnoresNodesThatAreOlderThanTheMachine) {
    test_cluster.change_node("n1").created = noon - 1min;
    EXPECT_EQ(groups_of_nodes(test_cluster), "-");
    add_node("n2", "10.0.0.1");
    EXPECT_EQ(groups_of_nodes(test_cluster), "- -") << "both nodes have the address";
    test_cluster.change_node("n1").addresses.clear();
    EXPECT_EQ(groups_of_nodes(test_cluster), "- a");
}

TEST_F(MembershipByAddress, AppliesToIsNodeOf) {
    const Snapshot snapshot = test_cluster.snapshot();
    Machine machine = (*snapshot.groups)[0].machines.front();
    const snapshot::NodeRow& node = snapshot.cluster.node(0);
    EXPECT_TRUE(is_node_of(snapshot.cluster, node, machine));
    machine.addresses = {"10.0.0.2"};
    EXPECT_FALSE(is_node_of(snapshot.cluster, node, machine));
}

TEST(Membership, MatchesOneNodePerMachine) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.machine("a", "cloud:///zone/i-1");
    test_cluster.node("i-1");
    test_cluster.node("n2").provider_id = "cloud:///zone/i-1";
    EXPECT_EQ(groups_of_nodes(test_cluster), "- a");
}

/// Two nodes with the provider id of one machine, and which of them is its node.
struct TwinCase {
    const char* name;
    bool ready_a, ready_b;
    const char* pod_on;  ///< empty: neither has pods
    const char* expected;
};

class MembershipOfTwins : public ::testing::TestWithParam<TwinCase> {};

TEST_P(MembershipOfTwins, PrefersTheReadyThenTheUsedThenTheYoungerNode) {
    const TwinCase& twins = GetParam();
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.machine("a", "cloud:///1");
    for (const char* name : {"n1", "n2"}) {
        auto& node = test_cluster.node(name);
        node.provider_id = "cloud:///1";
        node.ready = std::string_view(name) == "n1" ? twins.ready_a : twins.ready_b;
        node.created = time_from_unix_ns(std::string_view(name) == "n1" ? 1 : 2);
    }
    if (*twins.pod_on != 0) test_cluster.pod("web", twins.pod_on);
    EXPECT_EQ(groups_of_nodes(test_cluster), twins.expected);
}

INSTANTIATE_TEST_SUITE_P(Membership, MembershipOfTwins,
                         ::testing::Values(TwinCase{"OneReady", true, false, "", "a -"},
                                           TwinCase{"OtherReady", false, true, "n1", "- a"},
                                           TwinCase{"OneWithPods", false, false, "n1", "a -"},
                                           TwinCase{"OtherWithPods", true, true, "n2", "- a"},
                                           TwinCase{"Younger", true, true, "", "- a"}),
                         [](const auto& twins) { return std::string(twins.param.name); });

TEST(Membership, UsesTheFirstGroupOfAMachineInTwoGroups) {
    TestCluster test_cluster;
    test_cluster.group("b");
    test_cluster.group("a");
    test_cluster.machine("b", "n1");
    test_cluster.machine("a", "n1");
    test_cluster.node("n1");
    EXPECT_EQ(groups_of_nodes(test_cluster), "a");
}

TEST(Membership, ListsMachinesThatJoined) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.node("n3", "a");
    test_cluster.machine("a", "n2");
    test_cluster.node("n1", "a");
    const Snapshot snapshot = test_cluster.snapshot();
    const Membership membership = make_membership(snapshot);
    EXPECT_THAT(membership.joined.at(0), ::testing::ElementsAre(true, false, true));
    EXPECT_THAT(membership.nodes.at(0), ::testing::ElementsAre(0, 1));
    EXPECT_EQ(find_machine(snapshot, membership, 1)->id, MachineId("n3"));
}

TEST(Membership, IsEmptyWithoutGroups) {
    TestCluster test_cluster;
    test_cluster.node("n1");
    EXPECT_EQ(groups_of_nodes(test_cluster), "-");
    EXPECT_EQ(find_machine(test_cluster.snapshot(), make_membership(test_cluster.snapshot()), 0),
              nullptr);
}

}  // namespace
}  // namespace capstan::engine::templates
