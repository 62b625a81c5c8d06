// While a node cannot be marked, pods can still be scheduled on it.
#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum RemovalPhase;

struct Marking : RemovalCase {
    Marking() {
        node("n1");
        errors["n1"] = {ErrorCode::unavailable, "the API server is away"};
    }
    /// A removal of `n1` that began 10s ago and has not marked the node.
    NodeRemoval& begun(bool empty) {
        NodeRemoval& out = removing("n1", tainting, empty);
        now += 10s;
        return out;
    }
};

TEST_F(Marking, IsRetriedWhileNoPodIsScheduledOnTheNode) {
    begun(true);
    EXPECT_THAT(pass(), ElementsAre(HasSubstr("n1: +ToBeDeleted")));
    EXPECT_EQ(memory.removals.at("n1").phase, tainting);
}

TEST_F(Marking, EndsIfAnUnmovablePodIsScheduledOnTheNode) {
    begun(false);
    unmovable("web-1", "n1");
    EXPECT_THAT(pass(), ElementsAre(HasSubstr("n1: -ToBeDeleted")));
    EXPECT_THAT(steps.notes, Contains(HasSubstr("node n1 is not removed: ")));
}

TEST_F(Marking, EndsIfAPodIsScheduledOnAnEmptyNode) {
    begun(true);
    pod("web-1", "n1");
    EXPECT_THAT(pass(), ElementsAre(HasSubstr("n1: -ToBeDeleted")));
}

TEST_F(Marking, ContinuesIfAPodIsScheduledOnANodeWithPods) {
    begun(false);
    pod("web-1", "n1");
    EXPECT_THAT(pass(), ElementsAre(HasSubstr("n1: +ToBeDeleted")));
}

TEST_F(Marking, UsesTheWallClockForTheTaint) {
    NodeRemoval& removal = begun(true);
    const Snapshot seen = snapshot();
    const PassTime time{now, now - 2h};
    const NodeChange mark = make_mark(seen.cluster, seen.cluster.node(0), removal, {}, time);
    const auto chosen = std::chrono::floor<std::chrono::seconds>(noon - 2h).time_since_epoch();
    EXPECT_EQ(mark.set_taints.at(0).value, std::to_string(chosen.count()));
}

}  // namespace
}  // namespace capstan::engine::removal
