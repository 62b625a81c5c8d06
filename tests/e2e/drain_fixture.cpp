#include "drain_fixture.hpp"

#include <algorithm>
#include <ranges>

namespace capstan::e2e {
namespace {

constexpr auto scale_down_disabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

}  // namespace

void DrainTest::begin_drain(const Daemon& daemon) {
    pods.emplace(*cluster);
    cluster->apply(budget(3));
    cluster->apply(deployment(8, "900m"));
    ASSERT_TRUE(becomes(120s, [&] { return pods->ready() == 8 && has_ready_nodes(2); }));
    // No node may be removed before its pods are held by a finalizer.
    cluster->kubectl({"annotate", "nodes", "--all", std::string(scale_down_disabled) + "=true"});
    scale_to_two_a_node(*pods);
    ASSERT_TRUE(becomes(60s, [&] { return pods->present() == 4; }));
    for (const auto& [node, on_it] : pods->ready_by_node()) {
        ASSERT_EQ(on_it.size(), 2u) << node;
        held.insert(held.end(), on_it.begin(), on_it.end());
    }
    for (const std::string& pod : held)
        cluster->kubectl({"patch", "pod", pod, "--type=merge",
                          R"(--patch={"metadata":{"finalizers":["capstan.io/test"]}})"});
    cluster->kubectl({"annotate", "nodes", "--all", std::string(scale_down_disabled) + "-"});
    ASSERT_TRUE(becomes(90s, [&] { return pods->present() > 4; })) << daemon.target() << " target";
    ASSERT_EQ(std::ranges::count_if(cluster->nodes(), &NodeView::is_tainted), 1);
}

void DrainTest::release_pods() const {
    for (const std::string& pod : held)
        cluster->kubectl(
            {"patch", "pod", pod, "--type=merge", R"(--patch={"metadata":{"finalizers":null}})"});
}

void DrainTest::expect_drain_end(const Daemon& daemon) {
    EXPECT_TRUE(becomes(
        120s, [&] { return has_ready_nodes(1) && pods->present() == 4 && pods->ready() == 4; }));
    EXPECT_EQ(std::ranges::count_if(cluster->nodes(), &NodeView::is_tainted), 0);
    EXPECT_TRUE(becomes(30s, [&] { return daemon.target() == 1; })) << daemon.target();
    // The eight pods of the Deployment, and one for each of the two evicted pods.
    EXPECT_EQ(pods->seen().size(), 10u);
}

}  // namespace capstan::e2e
