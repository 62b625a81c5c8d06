#include "engine/health/unrecognized_nodes.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const NodeGroupId watched_group("web");

/// A group with one machine of type large in zone a that was launched at noon, and a node that
/// registered a minute later.
class UnrecognizedNode : public ::testing::Test {
protected:
    UnrecognizedNode() {
        test_cluster.group("web", 1);
        test_cluster.describe("web", amounts(4000)).machine_type = "large";
        machine = &test_cluster.machine("web", "cloud:///a/i-1");
        machine->launched = noon;
        machine->zone = "a";
        node = &test_cluster.node("n1");
        node->provider_id = "other://cluster/1";
        node->created = noon + 1min;
    }
    std::vector<std::string> nodes() const {
        const Snapshot snapshot = test_cluster.snapshot();
        const templates::Membership membership = templates::make_membership(snapshot);
        const PassTime time(noon + 20min);
        const std::vector<Readiness> readiness(snapshot.cluster.node_count(), Readiness::ready);
        const auto groups = count_groups(snapshot, membership, readiness, memory, {});
        return UnrecognizedNodes(snapshot, membership, memory, time).of(groups.at(0));
    }

    TestCluster test_cluster;
    Memory memory;
    Machine* machine = nullptr;
    snapshot::NodeObject* node = nullptr;
};

TEST_F(UnrecognizedNode, HasRegisteredAfterTheLaunchOfAMachineWithoutANode) {
    EXPECT_THAT(nodes(), ElementsAre("n1"));
    node->created = noon - 1s;
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, HasTheMachineTypeAndZoneOfTheGroup) {
    node->labels = {{"node.kubernetes.io/instance-type", "large"},
                    {"topology.kubernetes.io/zone", "a"}};
    EXPECT_THAT(nodes(), ElementsAre("n1"));
    node->labels["topology.kubernetes.io/zone"] = "b";
    EXPECT_THAT(nodes(), IsEmpty());
    node->labels = {{"beta.kubernetes.io/instance-type", "small"}};
    EXPECT_THAT(nodes(), IsEmpty());
    test_cluster.describe("web", amounts(4000)).variants = 2;
    EXPECT_THAT(nodes(), ElementsAre("n1")) << "new machines may be of either type";
    machine->machine_type = "large";
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, MayHaveTheNameOfAMachineAtAnyAge) {
    node->created = noon - 1h;
    node->provider_id = "cloud:///a/i-2";
    machine->node_name = "n1";
    EXPECT_THAT(nodes(), ElementsAre("n1"));
}

TEST_F(UnrecognizedNode, MayHaveAnAddressOfTwoMachines) {
    node->created = noon - 1h;
    node->addresses = machine->addresses = {"10.0.0.1"};
    Machine& other = test_cluster.machine("web", "cloud:///a/i-2");
    other.addresses = {"10.0.0.1"};
    other.launched = noon;
    EXPECT_THAT(nodes(), ElementsAre("n1"));
}

TEST_F(UnrecognizedNode, IsNotANodeWithTheAddressOfOneMachine) {
    node->addresses = machine->addresses = {"10.0.0.1"};
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, MayHaveAnyAgeIfTheLaunchTimeIsUnknown) {
    machine->launched.reset();
    node->created = noon - 1h;
    EXPECT_THAT(nodes(), ElementsAre("n1"));
    memory.templates[watched_group].since = noon;
    memory.unjoined[watched_group][machine->id] = noon;
    EXPECT_THAT(nodes(), ElementsAre("n1"))
        << "the machine was there when the group was first seen";
    memory.unjoined[watched_group][machine->id] = noon + 1s;
    EXPECT_THAT(nodes(), IsEmpty());
    node->created = noon + 2s;
    EXPECT_THAT(nodes(), ElementsAre("n1"));
}

TEST_F(UnrecognizedNode, MayRegisterBeforeItsMachineIsListed) {
    machine->launched.reset();
    memory.templates[watched_group].since = noon - 1h;
    memory.unjoined[watched_group][machine->id] = noon + 2min;
    EXPECT_THAT(nodes(), ElementsAre("n1")) << "the list lags, and another client requested it";
    memory.last_by_group[watched_group].scale_up = noon + 1min + 30s;
    EXPECT_THAT(nodes(), IsEmpty()) << "this host requested it later";
    memory.last_by_group[watched_group].scale_up = noon + 3min;
    EXPECT_THAT(nodes(), ElementsAre("n1")) << "this host has only requested other machines";
    node->created = noon + 2min - 16min;
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, IsNotAControlPlaneNodeUnlessTheGroupHasSuchNodes) {
    const std::string role = "node-role.kubernetes.io/control-plane";
    node->labels = {{role, ""}};
    EXPECT_THAT(nodes(), IsEmpty());
    node->labels.clear();
    node->taints = {{.key = role, .effect = Effect::no_schedule}};
    EXPECT_THAT(nodes(), IsEmpty());
    test_cluster.describe("web", amounts(4000)).labels[role] = "";
    EXPECT_THAT(nodes(), ElementsAre("n1"));
    test_cluster.change_group("web").described = nullptr;
    EXPECT_THAT(nodes(), ElementsAre("n1"));
}

TEST_F(UnrecognizedNode, HasRegisteredAfterMachinesWereRequested) {
    test_cluster.change_group("web").machines.clear();
    EXPECT_THAT(nodes(), IsEmpty()) << "nothing says when they were requested";
    memory.last_by_group[watched_group].scale_up = noon;
    EXPECT_THAT(nodes(), ElementsAre("n1"));
    memory.last_by_group[watched_group].scale_up = noon + 2min;
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, MayBeInAnyZoneOfAGroupWithoutListedMachines) {
    test_cluster.change_group("web").machines.clear();
    test_cluster.describe("web", amounts(4000)).zone = "a";
    memory.last_by_group[watched_group].scale_up = noon;
    node->labels = {{"topology.kubernetes.io/zone", "b"}};
    EXPECT_THAT(nodes(), IsEmpty());
    test_cluster.change_group("web").group.zones = {"a", "b"};
    EXPECT_THAT(nodes(), ElementsAre("n1"));
}

TEST_F(UnrecognizedNode, RequiresAMachineWithoutANode) {
    test_cluster.node("i-1").provider_id = "cloud:///a/i-1";
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, IsNotANodeThatIsBeingRemoved) {
    memory.removals["n1"].group = watched_group;
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(UnrecognizedNode, IsDescribedForDoctorByGroup) {
    EXPECT_THAT(describe_unrecognized(test_cluster.snapshot(), noon + 2min),
                ElementsAre("group web: 1 machine has no node; node n1 (spec.providerID matches no "
                            "machine) may belong to the group"));
    node->provider_id = machine->id.value();
    EXPECT_THAT(describe_unrecognized(test_cluster.snapshot(), noon + 2min), IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::health
