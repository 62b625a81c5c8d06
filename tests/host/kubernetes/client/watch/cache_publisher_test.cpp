#include "kubernetes/client/watch/cache_publisher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace capstan::kubernetes::client {
namespace {

engine::snapshot::PodObject numbered_pod(int number) {
    const std::string name = "pod-" + std::to_string(number);
    return {.name = name, .uid = name + "-uid", .labels = {{"name", name}}};
}

TEST(CachePublisher, StartsAfreshBeforePodsLongGoneFillTheMemory) {
    CachePublisher feed({});
    feed.is_complete = [] { return true; };
    feed.builder().set(numbered_pod(0));
    feed.builder().set(engine::snapshot::NamespaceObject{.name = "default"});
    engine::snapshot::ClusterBuilder unbounded;
    const auto churn = [](engine::snapshot::ClusterBuilder& builder, int round) {
        for (int i = 1; i <= 1000; ++i) {
            builder.set(numbered_pod(round * 1000 + i));
            builder.remove_pod("default", "pod-" + std::to_string(round * 1000 + i));
        }
    };
    std::size_t most = 0;
    for (int round = 0; round < 100; ++round) {
        churn(feed.builder(), round);
        churn(unbounded, round);
        const auto cluster = feed.cluster();
        ASSERT_TRUE(cluster);
        ASSERT_EQ(cluster->pod_count(), 1u);
        ASSERT_EQ(cluster->text(cluster->pod(0).uid), "pod-0-uid");
        ASSERT_EQ(cluster->objects().namespaces.size(), 1u);
        most = std::max(most, cluster->bytes());
    }
    EXPECT_GT(unbounded.build().bytes(), std::size_t{20} << 20);
    EXPECT_LT(most, std::size_t{10} << 20);
}

TEST(CachePublisher, ShowsNothingHalfReplacedAndNothingBeforeAllIsThere) {
    bool is_complete = false;
    int changes = 0;
    CachePublisher feed({});
    feed.is_complete = [&] { return is_complete; };
    feed.on_change = [&] { ++changes; };
    feed.builder().set(numbered_pod(1));
    feed.settle();
    EXPECT_FALSE(feed.cluster());
    is_complete = true;
    feed.settle();
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(feed.cluster()->pod_count(), 1u);
    feed.begin_replace();
    feed.begin_replace();
    feed.builder().set(numbered_pod(2));
    feed.end_replace();
    feed.settle();
    EXPECT_EQ(feed.cluster()->pod_count(), 1u) << "of two kinds, one is still being listed";
    EXPECT_EQ(changes, 1);
    feed.end_replace();
    feed.settle();
    EXPECT_EQ(changes, 2);
    EXPECT_EQ(feed.cluster()->pod_count(), 2u);
}

TEST(CachePublisher, StillWakesForAPodThatTurnedUnschedulableWhileAKindWasListed) {
    int woken = 0;
    CachePublisher feed({});
    feed.is_complete = [] { return true; };
    feed.on_unschedulable = [&] { ++woken; };
    feed.begin_replace();
    feed.builder().set(numbered_pod(1));
    feed.note_unschedulable();
    feed.settle();
    EXPECT_FALSE(feed.cluster()->pod_count() > 0) << "looked at before it is shown";
    EXPECT_EQ(woken, 0);
    feed.end_replace();
    feed.settle();
    feed.settle();
    EXPECT_EQ(woken, 1);
}

TEST(CachePublisher, CostsNothingWhereNothingChanged) {
    CachePublisher feed({});
    feed.is_complete = [] { return true; };
    feed.builder().set(numbered_pod(1));
    const auto first = feed.cluster();
    feed.builder().set(numbered_pod(1));
    const auto second = feed.cluster();
    EXPECT_EQ(first->unbound().data(), second->unbound().data());
}

}  // namespace
}  // namespace capstan::kubernetes::client
