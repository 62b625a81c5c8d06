#include "kubernetes/client/cache/cache_publisher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace capstan::kubernetes::client {
namespace {

engine::snapshot::PodObject numbered_pod(int number) {
    const std::string name = "pod-" + std::to_string(number);
    return {.name = name, .uid = name + "-uid", .labels = {{"name", name}}};
}

TEST(CachePublisher, RebuildsBeforeDeletedPodsFillTheMemory) {
    CachePublisher publisher({});
    publisher.is_complete = [] { return true; };
    publisher.builder().set(numbered_pod(0));
    publisher.builder().set(engine::snapshot::NamespaceObject{.name = "default"});
    engine::snapshot::ClusterBuilder unbounded;
    const auto churn = [](engine::snapshot::ClusterBuilder& builder, int round) {
        for (int i = 1; i <= 1000; ++i) {
            builder.set(numbered_pod(round * 1000 + i));
            builder.remove_pod("default", "pod-" + std::to_string(round * 1000 + i));
        }
    };
    std::size_t max_bytes = 0;
    for (int round = 0; round < 100; ++round) {
        churn(publisher.builder(), round);
        churn(unbounded, round);
        const auto cluster = publisher.cluster();
        ASSERT_TRUE(cluster);
        ASSERT_EQ(cluster->pod_count(), 1u);
        ASSERT_EQ(cluster->text(cluster->pod(0).uid), "pod-0-uid");
        ASSERT_EQ(cluster->objects().namespaces.size(), 1u);
        max_bytes = std::max(max_bytes, cluster->bytes());
    }
    EXPECT_GT(unbounded.build().bytes(), std::size_t{20} << 20);
    EXPECT_LT(max_bytes, std::size_t{10} << 20);
}

TEST(CachePublisher, PublishesNoPartialState) {
    bool is_complete = false;
    int changes = 0;
    CachePublisher publisher({});
    publisher.is_complete = [&] { return is_complete; };
    publisher.on_change = [&] { ++changes; };
    publisher.builder().set(numbered_pod(1));
    publisher.settle();
    EXPECT_FALSE(publisher.cluster());
    is_complete = true;
    publisher.settle();
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(publisher.cluster()->pod_count(), 1u);
    publisher.begin_replace();
    publisher.begin_replace();
    publisher.builder().set(numbered_pod(2));
    publisher.end_replace();
    publisher.settle();
    EXPECT_EQ(publisher.cluster()->pod_count(), 1u) << "one of two kinds is still being listed";
    EXPECT_EQ(changes, 1);
    publisher.end_replace();
    publisher.settle();
    EXPECT_EQ(changes, 2);
    EXPECT_EQ(publisher.cluster()->pod_count(), 2u);
}

TEST(CachePublisher, ReportsUnschedulablePodsAfterARelist) {
    int calls = 0;
    CachePublisher publisher({});
    publisher.is_complete = [] { return true; };
    publisher.on_unschedulable = [&] { ++calls; };
    publisher.begin_replace();
    publisher.builder().set(numbered_pod(1));
    publisher.note_unschedulable();
    publisher.settle();
    EXPECT_FALSE(publisher.cluster()->pod_count() > 0) << "not published yet";
    EXPECT_EQ(calls, 0);
    publisher.end_replace();
    publisher.settle();
    publisher.settle();
    EXPECT_EQ(calls, 1);
}

TEST(CachePublisher, SharesUnchangedState) {
    CachePublisher publisher({});
    publisher.is_complete = [] { return true; };
    publisher.builder().set(numbered_pod(1));
    const auto first = publisher.cluster();
    publisher.builder().set(numbered_pod(1));
    const auto second = publisher.cluster();
    EXPECT_EQ(first->unbound().data(), second->unbound().data());
}

}  // namespace
}  // namespace capstan::kubernetes::client
