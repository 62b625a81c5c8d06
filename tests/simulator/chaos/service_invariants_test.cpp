// The service invariant: a pending pod gets a node within a time limit, unless the invariant
// accepts the cause why its group does not grow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ServiceInvariant, DetectsAPodThatIsPendingWhileItsGroupCouldGrow) {
    const auto invariant = service_invariant();
    pod("web-1", "");
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 1h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("group web could have grown")));
}

TEST_F(ServiceInvariant, AllowsPendingPodsIfTheGroupIsAtItsMaximum) {
    const auto invariant = service_invariant();
    pod("web-1", "");
    pass(*invariant);
    now += 1h;
    group.group.target = 3;
    EXPECT_THAT(pass(*invariant), IsEmpty());
}

TEST_F(ServiceInvariant, AllowsPendingPodsWhileTheMemoryCannotBeWritten) {
    const auto invariant = service_invariant();
    pod("web-1", "");
    pass(*invariant);
    unwritten_because = "the disk is full";
    now += 1h;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    unwritten_because.clear();
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 1h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("could have grown")));
}

TEST_F(ServiceInvariant, RestartsTheTimeAfterATimeWithoutPasses) {
    for (const FaultKind fault : {FaultKind::lost_lease, FaultKind::stock_out}) {
        const auto invariant = service_invariant();
        pods.clear();
        pod("web-1", "");
        pass(*invariant);
        now += 1h;
        invariant->on_fact({.kind = FactKind::fault_ended, .at = now, .fault = fault});
        EXPECT_EQ(pass(*invariant).size(), fault == FaultKind::lost_lease ? 0u : 1u);
    }
}

TEST_F(ServiceInvariant, RestartsTheTimeForARecreatedGroup) {
    const auto invariant = service_invariant();
    pod("web-1", "");
    pass(*invariant);
    now += 1h;
    has_group = false;
    pass(*invariant);
    has_group = true;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 1h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("could have grown")));
}

TEST_F(ServiceInvariant, AllowsPendingPodsIfNodesGetAnUnexpectedTaint) {
    const auto invariant = service_invariant();
    node.taints = {{.key = "reserved"}};
    pod("web-1", "");
    pass(*invariant);
    now += 1h;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    group.machines.clear();
    EXPECT_THAT(pass(*invariant), IsEmpty()) << "the next node is expected to be like the last one";
    NodeTemplate changed = *group.described;
    changed.labels["version"] = "2";
    group.described = std::make_shared<const NodeTemplate>(std::move(changed));
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("could have grown")));
}

TEST_F(ServiceInvariant, AllowsPendingPodsIfNodesLackAPromisedLabel) {
    NodeTemplate promised = *group.described;
    promised.labels["disk"] = "ssd";
    group.described = std::make_shared<const NodeTemplate>(std::move(promised));
    pod("web-1", "").spec.node_selector["disk"] = "ssd";
    for (const bool has_label : {false, true}) {
        const auto invariant = service_invariant();
        if (has_label) node.labels["disk"] = "ssd";
        pass(*invariant);
        now += 1h;
        EXPECT_EQ(pass(*invariant).size(), has_label ? 1u : 0u);
    }
}

TEST_F(ServiceInvariant, IgnoresExpendablePods) {
    const auto invariant = service_invariant();
    settings.expendable_pods_priority_cutoff = 10;
    pod("web-1", "").spec.priority = 5;
    pass(*invariant);
    now += 1h;
    EXPECT_THAT(pass(*invariant), IsEmpty());
}

TEST_F(ServiceInvariant, AllowsPendingPodsIfAZeroOrMaxGroupIsPartlyFull) {
    const auto invariant = service_invariant();
    group.options.zero_or_max = true;
    pod("web-1", "");
    pass(*invariant);
    now += 1h;
    EXPECT_THAT(pass(*invariant), IsEmpty())
        << "the minimum of the group is one, and its maximum is three";
}

TEST_F(ServiceInvariant, WaitsForMachinesThatAreBeingCreated) {
    const auto invariant = service_invariant();
    group.group.target = 2;
    pod("web-1", "");
    pass(*invariant);
    for (int i = 1; i <= 4; ++i) {  // each machine fails, and another is created
        now += 25min;
        group.machines.resize(1);
        group.machines.push_back({.id = MachineId("try-" + std::to_string(i)),
                                  .group = NodeGroupId("web"),
                                  .state = MachineState::creating});
        EXPECT_THAT(pass(*invariant), IsEmpty());
    }
    now += 2h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("could have grown")))
        << "a machine may not take that long";
}

TEST_F(ServiceInvariant, IgnoresPodsThatCanPreempt) {
    const auto invariant = service_invariant();
    pod("web-1", "").spec.requests = {{"cpu", 3000}};
    engine::snapshot::PodSpec& other = pod("other", "n1").spec;
    other.requests = {{"cpu", 3000}};
    other.priority = -20;
    pass(*invariant);
    now += 1h;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    pods[1].spec.priority = 0;
    pass(*invariant);
    now += 1h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("could have grown")));
}

TEST_F(ServiceInvariant, AllowsPendingPodsIfALimitHasNoRoom) {
    for (const bool has_room : {false, true}) {
        const auto invariant = service_invariant();
        settings.cpu.max = has_room ? 8000 : 7999;
        pods.clear();
        pod("web-1", "");
        pass(*invariant);
        now += 1h;
        EXPECT_EQ(pass(*invariant).size(), has_room ? 1u : 0u);
    }
}

}  // namespace
}  // namespace capstan::simulator::chaos
