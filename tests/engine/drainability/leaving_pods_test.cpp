#include "engine/drainability/leaving_pods.hpp"

#include "../removal/removal_case.hpp"
#include "engine/drainability/pods_on_node.hpp"

namespace capstan::engine::drainability {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

struct EvictedPods : removal::RemovalCase {
    std::vector<std::string> names() {
        const Snapshot seen = snapshot();
        std::vector<std::string> out;
        for (const PodIndex pod : drainability::evicted_pods(seen, memory, {}, settings))
            out.push_back(drainability::full_name(seen.cluster, pod));
        return out;
    }
};

TEST_F(EvictedPods, AreThePodsThatWillBeRescheduled) {
    node("n1");
    removing("n1", draining);
    pod("web-2", "n1");
    pod("web-1", "n1");
    pod("web-9", "n2");
    pod("going", "n1").deleted = now;
    pod("static", "n1").annotations = {{"kubernetes.io/config.mirror", "x"}};
    pod("alone", "n1").owner = {};
    pod("expendable", "n1").spec.priority = -11;
    daemon("agent", "n1");
    EXPECT_THAT(names(), ElementsAre("default/web-1", "default/web-2"));
}

TEST_F(EvictedPods, AreListedUntilTheNodeIsDrained) {
    node("n1");
    pod("web-1", "n1");
    for (const auto phase : {tainting, waiting, draining}) {
        removing("n1", phase);
        EXPECT_THAT(names(), ElementsAre("default/web-1"));
    }
    for (const auto phase : {delayed, deleting, removed, undoing}) {
        removing("n1", phase);
        EXPECT_THAT(names(), IsEmpty());
    }
}

TEST_F(EvictedPods, ExcludePodsThatCannotBeEvicted) {
    node("n1");
    pod("web-1", "n1");
    pod("web-2", "n1");
    removing("n1", draining).evictions = {
        {"default/web-1/web-1-uid", {.refused = now, .barred_since = now}},
        {"default/web-2/web-2-uid", {.refused = now}}};
    EXPECT_THAT(names(), ElementsAre("default/web-2"));
}

TEST_F(EvictedPods, AreEmptyForAnEmptyOrRemovedNode) {
    node("n1");
    pod("web-1", "n1");
    removing("n1", tainting, true);
    removing("n2", draining);
    EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::drainability
