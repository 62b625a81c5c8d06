// The endings invariant: a machine ends by a removal decided for it, or by its cloud.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The machine m1 of group "web" with the ready node n1, and m2 with n2.
struct EndingsInvariant : InvariantCase {
    std::unique_ptr<Invariant> endings = endings_invariant();

    EndingsInvariant() {
        for (const auto& [machine, name] : {std::pair("m1", "n1"), std::pair("m2", "n2")}) {
            endings->on_fact({.kind = FactKind::machine_joined, .node = name, .machine = machine});
            endings->on_fact({.kind = FactKind::node_ready, .at = now, .node = name});
        }
    }
    Fact of_machine(FactKind kind, const char* machine, const char* name) const {
        return {.kind = kind, .at = now, .node = name, .group = "web", .machine = machine};
    }
    void strike(FactKind kind, FaultKind fault) {
        endings->on_fact({.kind = kind, .at = now, .group = "web", .fault = fault});
    }
    std::vector<std::string> end_machine() {
        return endings->on_fact(of_machine(FactKind::machine_ended, "m1", "n1"));
    }
};

TEST_F(EndingsInvariant, RequiresADecidedRemovalOfThatMachine) {
    decision.removals.push_back({.group = NodeGroupId("web"), .machines = {MachineId("m2")}});
    pass(*endings);
    EXPECT_THAT(end_machine(), ElementsAre(HasSubstr("machine m1 of node n1 ended")));
    remove_node();
    pass(*endings);
    EXPECT_THAT(end_machine(), IsEmpty());
}

TEST_F(EndingsInvariant, AllowsMachinesThatAFaultMayHaveEnded) {
    strike(FactKind::fault_began, FaultKind::restart);
    EXPECT_EQ(end_machine().size(), 1u);
    strike(FactKind::fault_began, FaultKind::lost_machine);
    EXPECT_THAT(end_machine(), IsEmpty());
    now += 1h;
    EXPECT_EQ(end_machine().size(), 1u);
    strike(FactKind::fault_began, FaultKind::silent);
    now += 1h;
    EXPECT_THAT(end_machine(), IsEmpty()) << "the fault is not over";
}

TEST_F(EndingsInvariant, CountsNoTimeWithoutPasses) {
    pass(*endings);
    now += 5min;
    strike(FactKind::fault_began, FaultKind::lost_machine);
    now += 1h;
    EXPECT_THAT(end_machine(), IsEmpty()) << "no pass has read the lists since the fault";
    pass(*endings);
    EXPECT_EQ(end_machine().size(), 1u);
}

TEST_F(EndingsInvariant, AllowsMachinesThatAnotherClientMayHaveEnded) {
    config::TomlValue change;
    change.children.push_back(
        {.kind = config::TomlValue::Kind::integer, .key = "target", .integer = 0});
    Input input{.start = noon};
    input.steps = {{.actions = {{.after = 10min, .what = CloudChange{"web", change}}}}};
    endings->on_start({.input = input, .clouds = {}});
    EXPECT_EQ(end_machine().size(), 1u);
    now += 11min;
    EXPECT_THAT(end_machine(), IsEmpty());
}

TEST_F(EndingsInvariant, RejectsTheRemovalOfAnotherMachineThanThatOfTheNode) {
    Fact agreed = of_machine(FactKind::removal_agreed, "m2", "n1");
    agreed.removal = engine::RemovalCause::empty;
    EXPECT_THAT(endings->on_fact(agreed),
                ElementsAre(HasSubstr("ends machine m2, which is that of node n2")));
}

TEST_F(EndingsInvariant, RequiresThatTheNodeWasDrained) {
    engine::snapshot::PodObject web{.owner = {.kind = "ReplicaSet", .name = "web"}};
    endings->on_fact({.kind = FactKind::pod_bound,
                      .at = now,
                      .pod = "default/web-1",
                      .batch = "default/web",
                      .node = "n1",
                      .pod_object = &web});
    Fact agreed = of_machine(FactKind::removal_agreed, "m1", "n1");
    agreed.removal = engine::RemovalCause::underutilized;
    EXPECT_THAT(endings->on_fact(agreed), ElementsAre(HasSubstr("runs 1 pod: default/web-1")));
    endings->on_fact({.kind = FactKind::pod_evicted, .at = now, .pod = "default/web-1"});
    EXPECT_THAT(endings->on_fact(agreed), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::chaos
