#include "engine/removal/node_rechecks.hpp"

#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

using NodeRechecks = RemovalCase;

TEST_F(NodeRechecks, PrecedeMarkingAndMachineRemoval) {
    for (const char* name : {"n1", "n2", "n3", "n4"}) node(name);
    pod("web-2", "n1");
    pod("web-1", "n1");
    daemon("agent-1", "n2");
    pod("web-3", "n3");
    removing("n2", deleting, true);
    removing("n3", draining);
    removing("n4", undoing);
    const Decision decision = decide({"n1"});
    EXPECT_THAT(
        find_node_rechecks(decision, snapshot().cluster, settings),
        ElementsAre(NodeRecheck{"n1", {"default/web-1/web-1-uid", "default/web-2/web-2-uid"}, -10},
                    NodeRecheck{"n2", {"default/agent-1/agent-1-uid"}, -10}));
}

TEST_F(NodeRechecks, AreNotMadeForMachinesWithoutANode) {
    Decision decision;
    decision.removals = {{.machines = {MachineId("m1")}, .nodes = {""}}};
    EXPECT_THAT(find_node_rechecks(decision, snapshot().cluster, settings), IsEmpty());
}

TEST_F(NodeRechecks, IncludeExpendablePodsOnlyIfDrainsDo) {
    node("n1");
    const Decision decision = decide({"n1"});
    const auto cutoff = [&] {
        return find_node_rechecks(decision, snapshot().cluster, settings).at(0).expendable_below;
    };
    settings.expendable_pods_priority_cutoff = 7;
    EXPECT_EQ(cutoff(), 7);
    settings.scale_down.drain_rules_off = {"expendable"};
    EXPECT_EQ(cutoff(), std::nullopt);
}

}  // namespace
}  // namespace capstan::engine::removal
