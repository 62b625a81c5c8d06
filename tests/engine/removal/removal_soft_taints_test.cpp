#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct SoftTaints : RemovalCase {
    void taint(const std::string& name) {
        node(name).taints = {{.key = std::string(deletion_candidate_taint),
                              .value = "1",
                              .effect = Effect::prefer_no_schedule}};
    }
};

TEST_F(SoftTaints, AreAddedToCandidatesAndRemovedFromOthers) {
    taint("n1");
    taint("n2");
    node("n3");
    soft_taint_nodes = {"n2", "n3"};
    EXPECT_THAT(pass(), ElementsAre("n1: -DeletionCandidate", "n3: +DeletionCandidate"));
    EXPECT_EQ(nodes.at("n3").taints[0].effect, Effect::prefer_no_schedule);
    EXPECT_EQ(nodes.at("n3").taints[0].value, "1750000000");
    EXPECT_THAT(pass(), IsEmpty());
}

TEST_F(SoftTaints, AreLimitedPerPass) {
    settings.scale_down.max_bulk_soft_taint_count = 2;
    node("n1");
    node("n2");
    taint("n8");
    soft_taint_nodes = {"n1", "n2"};
    EXPECT_THAT(pass(), ElementsAre("n1: +DeletionCandidate", "n8: -DeletionCandidate"));
    EXPECT_THAT(pass(), ElementsAre("n2: +DeletionCandidate"));
}

TEST_F(SoftTaints, AreRemovedIfDisabled) {
    settings.scale_down.max_bulk_soft_taint_count = 0;
    taint("n1");
    taint("n2");
    node("n3");
    soft_taint_nodes = {"n2", "n3"};
    EXPECT_THAT(pass(), ElementsAre("n1: -DeletionCandidate", "n2: -DeletionCandidate"));
}

TEST_F(SoftTaints, StayOnNodesBeingRemovedAndNodesWithoutAGroup) {
    taint("n1");
    taint("n2");
    removing("n1", RemovalPhase::waiting, true);
    std::erase_if(group("a").machines, [](const Machine& m) { return m.id == MachineId("m-n2"); });
    EXPECT_THAT(pass(), IsEmpty());
}

TEST_F(SoftTaints, DoNotChangeWhileTheGroupIsUnreadable) {
    taint("n1");
    node("n2");
    soft_taint_nodes = {"n2"};
    group("a").unreadable_because = "its cloud has not answered";
    EXPECT_THAT(pass(), IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::removal
