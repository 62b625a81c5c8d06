#include "engine/snapshot/label_finder.hpp"

#include <gmock/gmock.h>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

using ::testing::ElementsAre;

TEST(LabelFinder, FindsTheLabelOfEachNode) {
    ClusterBuilder builder;
    const auto add = [&](const char* name, Labels labels) {
        NodeObject object = node(name);
        object.labels = std::move(labels);
        builder.set(object);
    };
    add("a", {});
    add("b", {{"zon", "x"}, {"zones", "y"}});
    add("c", {{"arch", "arm64"}, {"zone", "1"}});
    add("d", {{"arch", "zone"}});
    add("e", {{"zone", ""}});
    const Cluster cluster = builder.build();
    LabelFinder zones(cluster, "zone");
    std::vector<std::string> found;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const auto labels = cluster.node(n).labels;
        const std::optional<Symbol> zone = zones.find(labels);
        EXPECT_EQ(zone, find_label(cluster, labels, "zone"));
        found.emplace_back(zone ? cluster.text(*zone) : "none");
    }
    EXPECT_THAT(found, ElementsAre("none", "none", "1", "none", ""));
}

}  // namespace
}  // namespace capstan::engine::snapshot
