// When the cached view of the cluster is stale.
#include <gtest/gtest.h>

#include "cached_cluster.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

/// Paths of the kinds that removals depend on.
constexpr const char* removal_paths[] = {"/api/v1/nodes", "/api/v1/pods",
                                         "/apis/policy/v1/poddisruptionbudgets"};

TEST_F(ClusterCacheTest, ReturnsNoClusterIfAKindIsStale) {
    sync();
    accept_watches();
    ASSERT_TRUE(cache.cluster(10min));
    api.fail(find_open("watch", "/apis/policy/v1/poddisruptionbudgets")->id,
             {ErrorCode::unavailable, "connection refused"});
    for (int i = 0; i < 30; ++i) {
        loop.advance(10s);
        if (const auto* again = find_open("watch", "/apis/policy/v1/poddisruptionbudgets"))
            api.fail(again->id, {ErrorCode::unavailable, "connection refused"});
        accept_watches();
    }
    EXPECT_TRUE(cache.cluster(10min));
    const auto cluster = cache.cluster(4min);
    ASSERT_FALSE(cluster);
    EXPECT_EQ(cluster.error().code, ErrorCode::unavailable);
    EXPECT_TRUE(cluster.error().message.starts_with("PodDisruptionBudget: last synced "))
        << cluster.error().message;
    EXPECT_NE(cluster.error().message.find("connection refused"), std::string::npos);
    EXPECT_EQ(errors, (Texts{"PodDisruptionBudget: connection refused"})) << "reported once";
}

TEST_F(ClusterCacheTest, IsUnobservedIfNodesPodsOrBudgetsAreNotSynced) {
    for (const char* path : removal_paths) {
        SCOPED_TRACE(path);
        sync();
        accept_watches();
        EXPECT_EQ(cache.unobserved_because(), "");
        api.fail(find_open("watch", path)->id, {ErrorCode::unavailable, "connection refused"});
        EXPECT_NE(cache.unobserved_because().find("connection refused"), std::string::npos);
        loop.advance(6s);
        EXPECT_TRUE(cache.cluster(1min)) << "the previous state still shows pending pods";
        accept_watches();
        EXPECT_EQ(cache.unobserved_because(), "");
    }
}

TEST_F(ClusterCacheTest, IsObservedForFiveSecondsAfterARegularEndOfAWatch) {
    for (const char* path : removal_paths) {
        SCOPED_TRACE(path);
        sync();
        accept_watches();
        loop.advance(10s);
        api.end(find_open("watch", path)->id);
        loop.advance(5s);
        EXPECT_EQ(cache.unobserved_because(), "");
        loop.advance(1ms);
        EXPECT_NE(cache.unobserved_because().find("was last synced "), std::string::npos)
            << cache.unobserved_because();
        accept_watches();
        EXPECT_EQ(cache.unobserved_because(), "");
    }
}

TEST_F(ClusterCacheTest, IsObservedFor75SecondsAfterTheLastBookmark) {
    sync();
    accept_watches();
    loop.advance(10s);
    push("/api/v1/pods", bookmark(11));
    loop.advance(75s - 1ms);
    EXPECT_EQ(cache.unobserved_because(), "");
    loop.advance(1ms);
    EXPECT_TRUE(cache.unobserved_because().starts_with("Pod was last synced "))
        << cache.unobserved_because();
    EXPECT_NE(cache.unobserved_because().find("received no data for too long"), std::string::npos)
        << cache.unobserved_because();
    accept_watches();
    EXPECT_EQ(cache.unobserved_because(), "") << "a new watch is open";
}

TEST_F(ClusterCacheTest, IsObservedDuringSilenceOfAServerWithoutBookmarks) {
    sync();
    accept_watches();
    const std::size_t asked = api.asked().size();
    loop.advance(125s - 1ms);
    EXPECT_EQ(api.asked().size(), asked);
    loop.advance(1ms);
    EXPECT_GT(api.asked().size(), asked) << "watched again, the connection may be lost";
    EXPECT_EQ(cache.unobserved_because(), "");
    loop.advance(5s + 1ms);
    EXPECT_NE(cache.unobserved_because(), "") << "no response either";
    accept_watches();
    EXPECT_EQ(cache.unobserved_because(), "");
}

TEST_F(ClusterCacheTest, IsObservedIfOnlyTheWatchOfServicesFails) {
    sync();
    accept_watches();
    api.fail(find_open("watch", "/api/v1/services")->id, {ErrorCode::unavailable, "lost"});
    loop.advance(30s);
    EXPECT_EQ(cache.unobserved_because(), "");
}

TEST_F(ClusterCacheTest, IsUnobservedDuringARequestedRelistOfPods) {
    sync(pod_page(10, {pod_line("a", 3)}));
    accept_watches();
    cache.relist("Pod");
    EXPECT_NE(find_open("list", "/api/v1/pods"), nullptr);
    loop.advance(6s);
    EXPECT_NE(cache.unobserved_because().find("Pod"), std::string::npos);
    EXPECT_EQ(pods(), Texts{"a"});
    sync(pod_page(12, {pod_line("b", 11)}));
    accept_watches();
    EXPECT_EQ(cache.unobserved_because(), "");
    EXPECT_EQ(pods(), Texts{"b"});
}

TEST_F(ClusterCacheTest, RelistsAKindAtMostEvery30Seconds) {
    sync();
    accept_watches();
    EXPECT_TRUE(cache.relist("Pod"));
    sync();
    accept_watches();
    EXPECT_FALSE(cache.relist("Pod"));
    EXPECT_TRUE(cache.relist("Node")) << "counted for each kind";
    loop.advance(29s);
    EXPECT_FALSE(cache.relist("Pod"));
    loop.advance(1s);
    EXPECT_TRUE(cache.relist("Pod"));
    EXPECT_EQ(status("Pod").relists, 2u);
    EXPECT_FALSE(cache.relist("Widget")) << "not watched";
}

TEST_F(ClusterCacheTest, FindsUnreportedPodsOfANode) {
    sync(pod_page(10, {with_uid(pod_line("a", 1, "n"), "u1"), with_uid(pod_line("b", 2), "u2")}),
         page(10, {ready_node("n", 1, "t")}));
    ASSERT_TRUE(cache.cluster(1min));
    const auto find_unreported = [&](const Texts& pods) {
        return cache.find_unreported("n", pods);
    };
    EXPECT_EQ(find_unreported({"shop/a/u1"}), Texts{});
    EXPECT_EQ(find_unreported({"shop/a/u9"}), Texts{"shop/a"}) << "another pod with this name";
    EXPECT_EQ(find_unreported({"shop/b/u2"}), Texts{"shop/b"}) << "not bound in the cache";
    EXPECT_EQ(find_unreported({"shop/a/u1", "shop/c/u3"}), Texts{"shop/c"});
    push("/api/v1/pods", line("MODIFIED", with_uid(pod_line("b", 11, "n"), "u2")) +
                             line("ADDED", with_uid(pod_line("c", 12, "n"), "u3")));
    EXPECT_EQ(find_unreported({"shop/b/u2", "shop/c/u3"}), Texts{})
        << "reported since the last cluster";
    push("/api/v1/nodes", line("DELETED", ready_node("n", 13, "t")));
    EXPECT_EQ(find_unreported({"shop/d/u4"}), Texts{}) << "the node was deleted";
}

TEST_F(ClusterCacheTest, CountsAMalformedPodAsReported) {
    sync(pod_page(10, {}), page(10, {ready_node("n", 1, "t")}));
    push("/api/v1/pods", line("ADDED", R"({"metadata":{"name":"a","namespace":"shop","uid":"u1",)"
                                       R"("resourceVersion":"11"},"spec":{"nodeName":7}})"));
    ASSERT_EQ(status("Pod").unreadable, 1u);
    EXPECT_EQ(cache.find_unreported("n", {"shop/a/u1"}), Texts{})
        << "a list has no more information";
}

}  // namespace
}  // namespace capstan::kubernetes::client
