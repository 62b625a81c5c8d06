#include "engine/templates/observed_nodes.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/templates/templates.hpp"

namespace capstan::engine::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Taint quarantine{.key = "quarantine"};

/// A group "web" whose template has 4 cores and a label. Its nodes are `node`, unless this is
/// absent, and `others`.
struct ObservedNodesCase {
    std::string fingerprint = "1";
    Labels described = {{"disk", "ssd"}};
    Resources allocatable = amounts(4000);
    std::optional<snapshot::NodeObject> node{};
    std::vector<snapshot::NodeObject> others{};
    Settings settings{};
    Memory memory{};
    Time now = noon;

    /// The node joins and is ready, with the labels of the template and a taint.
    snapshot::NodeObject& join(const Taint& taint = quarantine) {
        node = snapshot::NodeObject{.name = "web-1",
                                    .labels = described,
                                    .taints = {taint},
                                    .capacity = amounts(4000),
                                    .allocatable = amounts(4000),
                                    .ready_since = now,
                                    .created = now};
        return *node;
    }
    TestCluster make_cluster() const {
        TestCluster test_cluster;
        test_cluster.group("web").group.template_fingerprint = fingerprint;
        test_cluster.describe("web", allocatable).labels = described;
        if (node) test_cluster.node(node->name, "web") = *node;
        for (const snapshot::NodeObject& other : others)
            test_cluster.node(other.name, "web") = other;
        return test_cluster;
    }
    void pass_at(Duration since_noon) {
        now = noon + since_noon;
        const Snapshot snapshot = make_cluster().snapshot();
        memory = remember_templates(std::move(memory), snapshot, make_membership(snapshot),
                                    settings, now);
    }
    /// The node joins at noon and exists for a minute, so that it is recorded.
    void join_and_stay() {
        pass_at(0s);
        join();
        pass_at(0s);
        pass_at(1min);
    }
    /// For a moment an equal node is there instead.
    void confirm() {
        for (const char* const name : {"web-0", "web-1"}) {
            node->name = name;
            pass_at(now - noon);
        }
    }
    /// A confirmed node leaves.
    void join_and_leave() {
        join_and_stay();
        confirm();
        node.reset();
    }
    /// The node does not change for a minute after `since_noon`; then it is removed.
    void stay_and_leave(Duration since_noon) {
        pass_at(since_noon);
        pass_at(since_noon + 1min);
        node.reset();
    }
    GroupTemplate make_template() const {
        return make_templates(make_cluster().snapshot(), settings, now, memory.templates).at(0);
    }
    bool is_observed() const {
        return memory.templates.at(NodeGroupId("web")).observed.has_value();
    }
};

TEST(ObservedNodes, BecomeTheTemplateAfterTheyAreRemoved) {
    ObservedNodesCase o;
    o.pass_at(0s);
    EXPECT_EQ(o.make_template().because, "from the cloud");
    o.join_and_leave();
    o.pass_at(2min);
    const GroupTemplate web = o.make_template();
    EXPECT_THAT(web.template_node.taints, ElementsAre(quarantine));
    EXPECT_EQ(web.node->labels.at("kubernetes.io/hostname"), "new-node");
    EXPECT_EQ(
        web.because,
        "from node web-1, the last one that was ready; unlike the cloud's template it has taint "
        "quarantine:NoSchedule");
}

TEST(ObservedNodes, HaveTaintsAndLackLabelsOnlyOnceTwoNodesAgree) {
    ObservedNodesCase o;
    o.pass_at(0s);
    snapshot::NodeObject& first = o.join();
    first.labels = {{"by", "hand"}};
    first.allocatable = amounts(3500);
    o.stay_and_leave(0s);
    const GroupTemplate doubtful = o.make_template();
    EXPECT_THAT(doubtful.template_node.taints, IsEmpty());
    EXPECT_EQ(doubtful.template_node.labels.at("disk"), "ssd");
    EXPECT_EQ(doubtful.template_node.labels.at("by"), "hand") << "the cloud may not know it";
    EXPECT_EQ(doubtful.template_node.allocatable.amount("cpu"), 3500);
    EXPECT_EQ(
        doubtful.because,
        "from node web-1, the last one that was ready; unlike the cloud's template it has "
        "3500m of cpu instead of 4; taints, labels and devices are the cloud's until a second "
        "node differs from the cloud's template in the same way");

    snapshot::NodeObject& second = o.join();
    second.name = "web-2";
    second.labels = {{"by", "webhook"}};
    second.allocatable = amounts(3500);
    o.stay_and_leave(10min);
    const GroupTemplate confirmed = o.make_template();
    EXPECT_THAT(confirmed.template_node.taints, ElementsAre(quarantine));
    EXPECT_FALSE(confirmed.template_node.labels.contains("disk"));
}

TEST(ObservedNodes, AreConfirmedByNodesThatDifferInTheSameWay) {
    ObservedNodesCase o;
    o.join_and_stay();
    EXPECT_THAT(o.make_template().template_node.taints, ElementsAre(quarantine))
        << "a node that is there is the template";
    o.node->name = "web-2";
    o.node->taints.push_back({.key = "other"});
    o.stay_and_leave(5min);
    EXPECT_THAT(o.make_template().template_node.taints, IsEmpty());
}

TEST(ObservedNodes, HaveTheDevicesOfTheCloudUntilTwoNodesLackThem) {
    ObservedNodesCase o;
    const auto with_gpus = [](std::int64_t count) {
        Resources out = amounts(4000);
        out.set("nvidia.com/gpu", count);
        return out;
    };
    o.allocatable = with_gpus(8);
    o.pass_at(0s);
    o.join().allocatable = with_gpus(7);
    o.stay_and_leave(0s);
    EXPECT_EQ(o.make_template().template_node.allocatable.amount("nvidia.com/gpu"), 8);
}

TEST(ObservedNodes, HaveOnlyTheLabelsAndAmountsThatTheNodeHad) {
    ObservedNodesCase o;
    o.pass_at(0s);
    snapshot::NodeObject& node = o.join();
    node.taints.clear();
    node.labels.clear();
    node.allocatable = amounts(3500);
    o.pass_at(0s);
    o.pass_at(1min);
    o.confirm();
    o.node.reset();
    const GroupTemplate web = o.make_template();
    EXPECT_EQ(web.template_node.labels, (Labels{{"kubernetes.io/hostname", "new-node"}}));
    EXPECT_EQ(web.template_node.allocatable.amount("cpu"), 3500);
    EXPECT_THAT(web.because, HasSubstr("lacks label disk=ssd, has 3500m of cpu instead of 4"));
}

TEST(ObservedNodes, TellOnlyFurtherLabelsOnceTheCloudHasChangedItsTemplate) {
    ObservedNodesCase o;
    o.pass_at(0s);
    snapshot::NodeObject& node = o.join();
    node.labels = {{"pool", "web"}, {"disk", "hdd"}};
    o.pass_at(1h);
    EXPECT_EQ(o.make_template().because, "from node web-1");
    o.fingerprint = "version 2";
    o.described = {{"disk", "ssd"}};
    o.pass_at(2h);
    const GroupTemplate web = o.make_template();
    EXPECT_EQ(web.because,
              "from the cloud, which has changed its template since the newest node, web-1, was "
              "made");
    EXPECT_EQ(web.node->labels.at("disk"), "ssd");
    EXPECT_EQ(web.node->labels.at("pool"), "web");
    EXPECT_TRUE(web.node->taints.empty());

    snapshot::NodeObject newer = node;
    newer.name = "web-2";
    newer.created = newer.ready_since = o.now;
    o.others = {newer};
    o.pass_at(2h + 1min);
    EXPECT_EQ(o.make_template().because, "from node web-2");
}

TEST(ObservedNodes, MustBeUnchangedForAMinute) {
    ObservedNodesCase o;
    o.pass_at(0s);
    o.join(Taint{.key = "cni"});
    o.pass_at(0s);
    o.node->taints = {quarantine};
    o.pass_at(50s);
    o.pass_at(1min);
    EXPECT_FALSE(o.is_observed());
    EXPECT_EQ(next_observation(o.memory, false, o.now), noon + 110s);
    o.pass_at(110s);
    o.confirm();
    o.node.reset();
    EXPECT_THAT(o.make_template().template_node.taints, ElementsAre(quarantine));
}

TEST(ObservedNodes, MustBeReadyForAMinute) {
    ObservedNodesCase o;
    o.pass_at(0s);
    o.join();
    o.pass_at(0s);
    o.node->ready_since = noon + 30s;
    o.pass_at(1min);
    EXPECT_FALSE(o.is_observed());
    o.pass_at(90s);
    EXPECT_TRUE(o.is_observed());
}

TEST(ObservedNodes, AreForgottenAfterADay) {
    ObservedNodesCase o;
    o.join_and_leave();
    o.pass_at(24h + 1min - 1s);
    EXPECT_TRUE(o.is_observed());
    EXPECT_EQ(next_observation(o.memory, true, o.now), noon + 24h + 1min);
    EXPECT_EQ(next_observation(o.memory, false, o.now), std::nullopt);
    o.pass_at(24h + 1min);
    EXPECT_EQ(o.make_template().because, "from the cloud");
}

TEST(ObservedNodes, AreKeptForADayAfterTheNodeWasLastPresent) {
    ObservedNodesCase o;
    o.pass_at(0s);
    o.join();
    for (Duration at = 0s; at <= 30h; at += 10min) o.pass_at(at);
    o.node.reset();
    o.pass_at(53h);
    EXPECT_TRUE(o.is_observed());
    o.pass_at(54h);
    EXPECT_FALSE(o.is_observed());
}

TEST(ObservedNodes, AreForgottenWhenTheTemplateOfTheCloudChanges) {
    for (const bool has_fingerprint : {true, false}) {
        ObservedNodesCase o;
        if (!has_fingerprint) o.fingerprint.clear();
        o.join_and_leave();
        o.memory.templates.at(NodeGroupId("web")).refused["default#1"] = {.node = "web-1"};
        (has_fingerprint ? o.fingerprint : o.described["disk"]) = "2";
        o.pass_at(2min);
        EXPECT_EQ(o.make_template().because, "from the cloud") << has_fingerprint;
        EXPECT_THAT(o.memory.templates.at(NodeGroupId("web")).refused, IsEmpty())
            << "the new template may fit";
    }
}

TEST(ObservedNodes, KeepTheBackoffOfTheGroupWhenTheTemplateChanges) {
    ObservedNodesCase o;
    o.join_and_leave();
    o.memory.backoffs[NodeGroupId("web")] = {.until = noon + 1h, .code = ErrorCode::invalid_config};
    o.fingerprint = "2";
    o.pass_at(2min);
    EXPECT_TRUE(o.memory.backoffs.contains(NodeGroupId("web")));
}

// If a release computed other fingerprints, it would treat each template as new and forget its
// nodes.
TEST(TemplateFingerprint, IsTheSameInEveryRelease) {
    ObservedNodesCase o;
    const auto fingerprint = [&] {
        o.pass_at(0s);
        return o.memory.templates.at(NodeGroupId("web")).fingerprint;
    };
    EXPECT_EQ(fingerprint(), "574148512446984985");
    o.fingerprint.clear();
    EXPECT_EQ(fingerprint(), "769204954582339203") << "computed from the template of the cloud";
}

TEST(ObservedNodes, AreNotNodesOfAnOlderTemplate) {
    ObservedNodesCase o;
    o.pass_at(0s);
    o.join();
    o.fingerprint = "2";
    o.pass_at(10s);
    o.pass_at(5min);
    EXPECT_FALSE(o.is_observed());
}

TEST(ObservedNodes, KeepTheStateInWhichTheyJoined) {
    for (const Duration later : {5min, 60min}) {
        ObservedNodesCase o;
        o.join_and_stay();
        o.confirm();
        o.node->taints.push_back({.key = "spot-interruption"});
        if (later > 15min) o.node->labels["by"] = "hand";
        o.stay_and_leave(later);
        EXPECT_THAT(o.make_template().template_node.taints, ElementsAre(quarantine));
        EXPECT_EQ(o.make_template().template_node.labels.count("by"), 0u);
    }
}

TEST(ObservedNodes, LoseATaintThatIsRemovedLate) {
    ObservedNodesCase o;
    o.join_and_stay();
    ASSERT_TRUE(o.is_observed());
    o.node->taints.clear();
    o.stay_and_leave(3min);
    EXPECT_THAT(o.make_template().template_node.taints, IsEmpty());
}

TEST(ObservedNodes, LoseATaintThatTheNextNodeLacks) {
    ObservedNodesCase o;
    o.join_and_leave();
    o.join().taints.clear();
    o.stay_and_leave(3min);
    EXPECT_THAT(o.make_template().template_node.taints, IsEmpty());
}

TEST(ObservedNodes, HaveNoTransientTaints) {
    ObservedNodesCase o;
    o.settings.startup_taints = {"acme/starting"};
    o.pass_at(0s);
    o.join().taints = {{.key = "acme/starting"},
                       {.key = "node.kubernetes.io/disk-pressure"},
                       {.key = "DeletionCandidateOfClusterAutoscaler"},
                       quarantine};
    o.pass_at(0s);
    o.node->taints = {quarantine};
    o.pass_at(1min);
    o.confirm();
    o.node.reset();
    EXPECT_THAT(o.make_template().template_node.taints, ElementsAre(quarantine))
        << "their removal does not count as a change";
}

TEST(ObservedNodes, AreNotUsedIfTemplatesComeFromTheCloudOnly) {
    ObservedNodesCase o;
    o.settings.template_source = TemplateSource::cloud;
    o.join_and_leave();
    EXPECT_FALSE(o.is_observed());
    EXPECT_EQ(o.make_template().because, "from the cloud");
}

TEST(ObservedNodes, AreForgottenWithTheirGroup) {
    ObservedNodesCase o;
    o.join_and_leave();
    const Snapshot nothing = TestCluster().snapshot();
    o.memory = remember_templates(std::move(o.memory), nothing, make_membership(nothing),
                                  o.settings, o.now);
    EXPECT_THAT(o.memory.templates, IsEmpty());
}

TEST(ObservedNodes, AreOneRecordPerGroup) {
    ObservedNodesCase o;
    o.join_and_leave();
    const Memory before = o.memory;
    o.pass_at(10min);
    const snapshot::NodeObject like_before = o.join();
    o.node->ready_since = o.node->created = noon + 9min;
    o.pass_at(11min);
    EXPECT_EQ(o.memory, before) << "an equal node is not recorded again";
    for (const int number : {2, 3, 4}) {
        snapshot::NodeObject& other = o.others.emplace_back(like_before);
        other.name = "web-" + std::to_string(number);
        other.ready_since = other.created = noon + 11min + std::chrono::seconds(number);
    }
    o.pass_at(13min);
    Memory after = before;
    after.templates.at(NodeGroupId("web")).observed->node = "web-4";
    EXPECT_EQ(o.memory, after) << "only the name changes, to that of the newest node";
}

TEST(ObservedNodes, HaveAZoneOnlyIfTheCloudReportsOne) {
    const char* const zone = "topology.kubernetes.io/zone";
    const char* const disk_zone = "topology.ebs.csi.aws.com/zone";
    for (const bool has_one_zone : {true, false}) {
        ObservedNodesCase o;
        if (has_one_zone) o.described[zone] = "a";
        o.pass_at(0s);
        o.join().labels.insert({{zone, "a"}, {disk_zone, "a"}});
        o.stay_and_leave(0s);
        const Labels labels = o.make_template().template_node.labels;
        EXPECT_EQ(labels.contains(zone), has_one_zone);
        EXPECT_EQ(labels.contains(disk_zone), has_one_zone)
            << "the next node may be in another zone";
    }
}

TEST(ObservedNodes, GetPodsOfCurrentDaemonSets) {
    ObservedNodesCase o;
    o.join_and_leave();
    TestCluster test_cluster = o.make_cluster();
    test_cluster.daemon_set("logs").spec.tolerations = {{.op = Toleration::Op::exists}};
    const GroupTemplate web =
        make_templates(test_cluster.snapshot(), o.settings, o.now, o.memory.templates).at(0);
    EXPECT_EQ(web.node->free.amount("cpu"), 3950);
}

}  // namespace
}  // namespace capstan::engine::templates
