#include "engine/templates/settling_nodes.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::templates {
namespace {

using scheduling::NodePromise;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A group "gpu", whose template has a GPU, a label and a taint, and the only node of the group,
/// which has been ready since noon.
struct SettlingNodesCase {
    TestCluster test_cluster{};
    Settings settings{};
    std::optional<Time> wake_at{};

    SettlingNodesCase() {
        test_cluster.group("gpu", 1);
        NodeTemplate& described = test_cluster.describe("gpu", with_gpu());
        described.labels = {{"pool", "gpu"}};
        described.taints = {{.key = "dedicated", .value = "gpu"}};
        snapshot::NodeObject& node = test_cluster.node("gpu-1", "gpu");
        node.capacity = node.allocatable = with_gpu();
        node.labels = described.labels;
        node.taints = described.taints;
        node.created = noon - 1min;
        node.ready_since = noon;
    }
    static Resources with_gpu() {
        Resources out = amounts(4000);
        out.set("example.com/gpu", 1);
        return out;
    }
    snapshot::NodeObject& node() { return test_cluster.change_node("gpu-1"); }
    std::vector<NodePromise> promises_at(Duration since_noon, bool usable = true) {
        const Snapshot snapshot = test_cluster.snapshot();
        const Membership membership = make_membership(snapshot);
        NextChange next_change(PassTime(noon + since_noon));
        std::vector<NodePromise> out = find_promises(
            snapshot, membership, make_templates(snapshot, settings, noon + since_noon), {usable},
            settings, next_change);
        wake_at = next_change.at();
        return out;
    }
};

TEST(SettlingNodes, AreNotNodesWithAllExpectedResources) {
    EXPECT_THAT(SettlingNodesCase().promises_at(0s), IsEmpty());
}

TEST(SettlingNodes, AreNotNodesFromBeforeTheClockWasSetBack) {
    SettlingNodesCase c;
    c.node().capacity = c.node().allocatable = amounts(4000);
    EXPECT_FALSE(c.promises_at(-59s).empty()) << "clocks of two machines differ a little";
    EXPECT_THAT(c.promises_at(-1min), IsEmpty());
}

TEST(SettlingNodes, AreExpectedToGetDevicesWithinFiveMinutes) {
    SettlingNodesCase c;
    c.node().capacity = c.node().allocatable = amounts(4000);
    const NodePromise gpu{.node = 0, .allocatable = {{"example.com/gpu", 1}}};
    EXPECT_THAT(c.promises_at(0s), ElementsAre(gpu));
    EXPECT_EQ(c.wake_at, noon + 5min);
    EXPECT_THAT(c.promises_at(5min - 1ns), ElementsAre(gpu));
    EXPECT_THAT(c.promises_at(5min), IsEmpty());
    c.settings.device_settling_time = 0s;
    EXPECT_THAT(c.promises_at(0s), IsEmpty());
}

TEST(SettlingNodes, AreExpectedToGetLabelsAndLoseTaintsWithinAMinute) {
    SettlingNodesCase c;
    const Taint starting{.key = "agent", .value = "starting"};
    c.node().labels.clear();
    c.node().taints.push_back(starting);
    const NodePromise promise{.node = 0, .labels = {{"pool", "gpu"}}, .removed_taints = {starting}};
    EXPECT_THAT(c.promises_at(1min - 1ns), ElementsAre(promise));
    EXPECT_EQ(c.wake_at, noon + 1min);
    EXPECT_THAT(c.promises_at(1min), IsEmpty());
}

TEST(SettlingNodes, AreNotNodesWithLessOfABuiltInResource) {
    SettlingNodesCase c;
    c.node().allocatable.set("cpu", 3800);
    EXPECT_THAT(c.promises_at(0s), IsEmpty());
}

TEST(SettlingNodes, AreNotNodesThatWereReadyBefore) {
    SettlingNodesCase c;
    c.node().capacity = c.node().allocatable = amounts(4000);
    c.node().created = noon - 1h;
    EXPECT_THAT(c.promises_at(0s), IsEmpty());
}

TEST(SettlingNodes, AreNotUnusableNodes) {
    SettlingNodesCase c;
    c.node().capacity = c.node().allocatable = amounts(4000);
    EXPECT_THAT(c.promises_at(0s, false), IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::templates
