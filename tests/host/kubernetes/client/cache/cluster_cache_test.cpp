#include "kubernetes/client/cache/cluster_cache.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <tuple>

#include <capstan/time_text.hpp>

#include "cached_cluster.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

TEST_F(ClusterCacheTest, WatchesEveryKindAndOnlyPodsThatHaveNotEnded) {
    cache.start();
    Texts paths;
    for (const ScriptedApi::Asked& asked : api.asked()) paths.push_back(asked.request.path);
    std::ranges::sort(paths);
    EXPECT_EQ(
        paths,
        (Texts{"/api/v1/namespaces", "/api/v1/nodes", "/api/v1/persistentvolumeclaims",
               "/api/v1/persistentvolumes", "/api/v1/pods", "/api/v1/replicationcontrollers",
               "/api/v1/services", "/apis/apps/v1/daemonsets", "/apis/apps/v1/replicasets",
               "/apis/apps/v1/statefulsets", "/apis/batch/v1/jobs",
               "/apis/policy/v1/poddisruptionbudgets", "/apis/storage.k8s.io/v1/csidrivers",
               "/apis/storage.k8s.io/v1/csinodes", "/apis/storage.k8s.io/v1/csistoragecapacities",
               "/apis/storage.k8s.io/v1/storageclasses"}));
    EXPECT_NE(api.first("GET /api/v1/pods")
                  .line()
                  .find("fieldSelector=status.phase!=Succeeded,status.phase!=Failed"),
              std::string::npos);
}

TEST_F(ClusterCacheTest, ReturnsNoClusterBeforeEveryKindIsSynced) {
    cache.start();
    const auto namespaces = find_open("list", "/api/v1/namespaces")->id;
    while (find_open("list")->id != namespaces) {
        const ScriptedApi::Asked& asked = *find_open("list");
        api.answer(asked.id, {.body = empty_page(asked.request.path)});
    }
    EXPECT_FALSE(cache.has_synced());
    const auto early = cache.cluster(1h);
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, ErrorCode::unavailable);
    EXPECT_EQ(changes, 0);
    api.answer(namespaces, {.body = empty_page("/api/v1/namespaces")});
    EXPECT_TRUE(cache.has_synced());
    EXPECT_EQ(changes, 1);
    EXPECT_TRUE(cache.cluster(1h));
}

TEST_F(ClusterCacheTest, NamesTheKindsThatAreNotSynced) {
    const auto names = [this] {
        std::vector<std::string> out;
        for (const WatchFailure& each : cache.unsynced())
            out.push_back(each.kind + ": " + each.error.message);
        return out;
    };
    cache.start();
    EXPECT_EQ(names().size(), cached_kinds().size());
    api.answer(find_open("list", "/api/v1/nodes")->id, {.status = 403});
    const auto pods = find_open("list", "/api/v1/pods")->id;
    for (const CachedKind& kind : cached_kinds()) {
        const ScriptedApi::Asked* const asked = find_open("list", path_of(kind.resource));
        if (asked != nullptr && asked->id != pods)
            api.answer(asked->id, {.body = empty_page(asked->request.path)});
    }
    EXPECT_THAT(names(), ElementsAre("Node: GET /api/v1/nodes?resourceVersion=0&limit=500: 403",
                                     "Pod: the list is not complete"));
    api.answer(pods, {.body = pod_page(10, {})});
    EXPECT_EQ(names().size(), 1u);
}

TEST_F(ClusterCacheTest, AppliesEventsToTheList) {
    sync(pod_page(10, {pod_line("a", 1), pod_line("b", 2)}), page(10, {ready_node("n", 1, "t")}));
    EXPECT_EQ(pods(), (Texts{"a", "b"}));
    push("/api/v1/pods", line("ADDED", pod_line("c", 11)) + line("DELETED", pod_line("a", 12)));
    EXPECT_EQ(pods(), (Texts{"b", "c"}));
    EXPECT_EQ(status("Pod").objects, 2u);
    EXPECT_EQ(status("Node").objects, 1u);
    EXPECT_EQ(status("Pod").resource_version, "12");
}

TEST_F(ClusterCacheTest, CountsObjectsWithoutACallOfCluster) {
    sync(pod_page(10, {pod_line("a", 1), pod_line("b", 2)}), page(10, {ready_node("n", 1, "t")}));
    EXPECT_EQ(status("Pod").objects, 2u);
    EXPECT_EQ(status("Node").objects, 1u);
    push("/api/v1/pods", line("ADDED", pod_line("c", 11)) + line("ADDED", pod_line("d", 12)));
    EXPECT_EQ(status("Pod").objects, 4u);
}

TEST_F(ClusterCacheTest, CountsSyncedKindsWhileAnotherIsMissing) {
    cache.start();
    EXPECT_EQ(status("Pod").objects, 0u);
    api.answer(find_open("list", "/api/v1/pods")->id, {.body = pod_page(10, {pod_line("a", 1)})});
    EXPECT_EQ(status("Pod").objects, 1u);
    EXPECT_FALSE(cache.has_synced());
}

TEST_F(ClusterCacheTest, CountsThePreviousObjectsDuringARelist) {
    sync(pod_page(10, {pod_line("a", 1), pod_line("b", 2)}));
    expire_pods();
    api.answer(find_open("list", "/api/v1/pods")->id,
               {.body = pod_page(20, {pod_line("a", 1)}, "more")});
    EXPECT_EQ(status("Pod").objects, 2u);
}

TEST_F(ClusterCacheTest, ReportsAChangeThatWasCountedBefore) {
    sync();
    std::ignore = cache.cluster(1min);
    changes = 0;
    push("/api/v1/pods", line("ADDED", pod_line("a", 11)));
    EXPECT_EQ(status("Pod").objects, 1u);
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(pods(), Texts{"a"});
    push("/api/v1/pods", line("ADDED", pod_line("b", 12)));
    EXPECT_EQ(changes, 2);
}

TEST_F(ClusterCacheTest, AcceptsDuplicateAndReorderedEvents) {
    sync(pod_page(10, {pod_line("a", 1)}));
    push("/api/v1/pods",
         line("DELETED", pod_line("ghost", 11)) + line("ADDED", pod_line("a", 11)) +
             line("MODIFIED", pod_line("new", 12)) + line("ADDED", pod_line("new", 12)) +
             line("DELETED", pod_line("a", 13)) + line("DELETED", pod_line("a", 13)));
    EXPECT_EQ(pods(), (Texts{"new"}));
}

TEST_F(ClusterCacheTest, ShowsThePreviousStateDuringARelist) {
    sync(pod_page(10, {pod_line("a", 1), pod_line("b", 2)}));
    push("/api/v1/pods", line("ADDED", pod_line("c", 11)));  // not published yet
    expire_pods();
    const auto id = find_open("list", "/api/v1/pods")->id;
    const std::string text = pod_page(20, {pod_line("c", 11), pod_line("d", 19)});
    for (std::size_t at = 0; at + 1 < text.size(); at += 10) {
        api.push(
            id, std::string_view(text).substr(at, std::min<std::size_t>(10, text.size() - 1 - at)));
        ASSERT_EQ(pods(), (Texts{"a", "b", "c"}));
    }
    api.push(id, "}");
    EXPECT_EQ(pods(), (Texts{"a", "b", "c"})) << "until the list ends";
    changes = 0;
    api.end(id);
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(pods(), (Texts{"c", "d"}));
    EXPECT_EQ(status("Pod").relists, 1u);
}

TEST_F(ClusterCacheTest, KeepsThePreviousStateIfAListIsTruncated) {
    sync(pod_page(10, {pod_line("a", 1), pod_line("b", 2)}));
    EXPECT_EQ(pods(), (Texts{"a", "b"}));
    expire_pods();
    auto id = find_open("list", "/api/v1/pods")->id;
    const std::string text = pod_page(20, {pod_line("b", 2), pod_line("x", 19)});
    api.push(id, std::string_view(text).substr(0, text.size() - 5));
    api.fail(id, {ErrorCode::unavailable, "connection lost"});
    EXPECT_EQ(pods(), (Texts{"a", "b"}));
    loop.advance(5s);
    id = find_open("list", "/api/v1/pods")->id;
    EXPECT_EQ(pods(), (Texts{"a", "b"}));
    api.answer(id, {.body = pod_page(30, {pod_line("a", 1)})});
    EXPECT_EQ(pods(), (Texts{"a"}));
}

TEST_F(ClusterCacheTest, DropsATruncatedFirstList) {
    cache.start();
    api.push(find_open("list", "/api/v1/pods")->id,
             pod_page(10, {pod_line("x", 1)}).substr(0, 300));
    api.fail(find_open("list", "/api/v1/pods")->id, {ErrorCode::unavailable, "connection lost"});
    loop.advance(2s);
    sync(pod_page(10, {pod_line("a", 1)}));
    EXPECT_EQ(pods(), (Texts{"a"}));
}

TEST_F(ClusterCacheTest, SyncsWithoutOptionalKinds) {
    cache.start();
    for (const char* kind : {"csidrivers", "csinodes", "csistoragecapacities", "storageclasses"})
        api.answer(find_open("list", std::string("/apis/storage.k8s.io/v1/") + kind)->id,
                   {.status = 404, .body = status_body("NotFound")});
    sync();
    EXPECT_TRUE(cache.has_synced());
    for (int minutes = 0; minutes < 4; ++minutes) {
        accept_watches();
        loop.advance(1min);
    }
    EXPECT_TRUE(cache.cluster(1min));
    EXPECT_TRUE(status("CSIDriver").is_unavailable);
}

TEST_F(ClusterCacheTest, WatchesServices) {
    const auto service = [](int version, const std::string& app) {
        return R"({"metadata":{"namespace":"shop","name":"web","resourceVersion":")" +
               std::to_string(version) + R"("},"spec":{"selector":{"app":")" + app + R"("}}})";
    };
    const auto selectors = [&] {
        const Result<engine::snapshot::Cluster> cluster = cache.cluster(1min);
        Texts out;
        for (const auto& [name, object] : cluster->objects().services)
            out.push_back(name + " " + object.selector.at("app"));
        return out;
    };
    sync();
    push("/api/v1/services", line("ADDED", service(11, "a")));
    EXPECT_EQ(selectors(), (Texts{"shop/web a"}));
    changes = 0;
    push("/api/v1/services", line("MODIFIED", service(12, "b")));
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(selectors(), (Texts{"shop/web b"}));
    push("/api/v1/services", line("DELETED", service(13, "b")));
    EXPECT_EQ(selectors(), (Texts{}));
}

TEST_F(ClusterCacheTest, SyncsWithoutPermissionForServicesAndReportsItOnce) {
    cache.start();
    const auto forbid = [&] {
        api.answer(find_open("list", "/api/v1/services")->id,
                   {.status = 403, .body = status_body("Forbidden", "cannot list services")});
    };
    forbid();
    sync();
    EXPECT_TRUE(cache.has_synced());
    EXPECT_TRUE(status("Service").is_unavailable);
    for (int i = 0; i < 3; ++i) {
        while (find_open("list", "/api/v1/services") == nullptr) loop.advance(10s);
        forbid();
    }
    EXPECT_TRUE(cache.cluster(1h));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find("cannot list services"), std::string::npos) << errors[0];
}

TEST_F(ClusterCacheTest, ReportsOnlyRelevantChanges) {
    sync(pod_page(10, {pod_line("a", 1)}), page(10, {ready_node("n", 1, "12:00")}));
    ASSERT_TRUE(cache.cluster(1min));
    changes = 0;
    push("/api/v1/nodes", line("MODIFIED", ready_node("n", 11, "12:05")));
    push("/api/v1/nodes", bookmark(12));
    push("/api/v1/pods", line("MODIFIED", pod_line("a", 13)));
    EXPECT_EQ(changes, 0) << "heartbeats";
    push("/api/v1/pods", line("MODIFIED", pod_line("a", 14, "n")));
    EXPECT_EQ(changes, 1);
    push("/api/v1/pods", line("ADDED", pod_line("b", 15)));
    EXPECT_EQ(changes, 1) << "once until the cluster is read";
    ASSERT_TRUE(cache.cluster(1min));
    push("/api/v1/pods", line("DELETED", pod_line("b", 16)));
    EXPECT_EQ(changes, 2);
    EXPECT_EQ(unschedulable, 0);
}

TEST_F(ClusterCacheTest, ReportsUnschedulablePodsAtOnce) {
    sync(pod_page(10, {pod_line("a", 1)}));
    ASSERT_TRUE(cache.cluster(1min));
    push("/api/v1/pods", line("ADDED", pod_line("gated", 11, "", "SchedulingGated")));
    EXPECT_EQ(unschedulable, 0);
    push("/api/v1/pods", line("MODIFIED", pod_line("a", 12, "", "Unschedulable")));
    EXPECT_EQ(unschedulable, 1);
    ASSERT_TRUE(cache.cluster(1min));
    push("/api/v1/pods", line("MODIFIED", pod_line("a", 13, "", "Unschedulable")));
    EXPECT_EQ(unschedulable, 1) << "unchanged, the scheduler retried";
    expire_pods();
    api.answer(find_open("list", "/api/v1/pods")->id,
               {.body = pod_page(20, {pod_line("a", 13, "", "Unschedulable"),
                                      pod_line("b", 14, "", "Unschedulable")})});
    EXPECT_EQ(unschedulable, 2) << "a pod that was created between watches";
}

TEST_F(ClusterCacheTest, KnowsSinceWhenAPodIsUnschedulable) {
    const auto waiting_since = [](const std::string& name, int version, const std::string& time) {
        std::string pod = pod_line(name, version, "", "Unschedulable");
        return pod.insert(pod.find(R"("reason")"), R"("lastTransitionTime":")" + time + R"(",)");
    };
    sync(pod_page(10, {waiting_since("a", 1, "2026-01-01T00:00:00Z"), pod_line("b", 2)}));
    const auto since = [&](const char* pod) { return cache.unschedulable_since("shop", pod); };
    EXPECT_EQ(since("a"), parse_rfc3339("2026-01-01T00:00:00Z").value());
    EXPECT_EQ(since("b"), std::nullopt) << "not tried yet";
    push("/api/v1/pods", line("MODIFIED", waiting_since("b", 11, "2026-01-01T00:00:07Z")) +
                             line("MODIFIED", pod_line("a", 12, "n")));
    EXPECT_EQ(since("a"), std::nullopt) << "bound";
    EXPECT_EQ(since("b"), parse_rfc3339("2026-01-01T00:00:07Z").value());
    expire_pods();
    api.answer(find_open("list", "/api/v1/pods")->id, {.body = pod_page(20, {})});
    EXPECT_EQ(since("b"), std::nullopt) << "deleted";
}

TEST_F(ClusterCacheTest, ReportsCurrentWatchFailures) {
    sync();
    accept_watches();
    EXPECT_TRUE(cache.watch_failures().empty());
    api.fail(find_open("watch", "/api/v1/pods")->id, {ErrorCode::unavailable, "connection lost"});
    ASSERT_EQ(cache.watch_failures().size(), 1u);
    EXPECT_EQ(cache.watch_failures()[0].kind, "Pod");
    EXPECT_EQ(cache.watch_failures()[0].error.message, "connection lost");
    EXPECT_FALSE(cache.watch_failures()[0].is_unavailable);
    loop.advance(6s);
    accept_watches();
    EXPECT_TRUE(cache.watch_failures().empty());
}

TEST_F(ClusterCacheTest, KeepsThePreviousVersionOfAMalformedObject) {
    sync(pod_page(10, {pod_line("a", 1, "n")}));
    const std::string unreadable =
        R"({"metadata":{"name":"a","namespace":"shop","resourceVersion":"11"},"spec":{"nodeName":7}})";
    push("/api/v1/pods", line("MODIFIED", unreadable) + line("MODIFIED", unreadable));
    EXPECT_EQ(pods(), (Texts{"a"}));
    EXPECT_EQ(status("Pod").unreadable, 1u);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_TRUE(errors[0].starts_with("Pod: Pod shop/a: /spec")) << errors[0];
    EXPECT_TRUE(errors[0].ends_with("; its previous version is kept")) << errors[0];
    expire_pods();
    api.answer(find_open("list", "/api/v1/pods")->id, {.body = pod_page(20, {unreadable})});
    EXPECT_EQ(pods(), (Texts{"a"})) << "still listed";
    push("/api/v1/pods", line("MODIFIED", pod_line("a", 21)));
    EXPECT_EQ(status("Pod").unreadable, 0u);
    push("/api/v1/pods", line("MODIFIED", unreadable) + line("DELETED", unreadable));
    EXPECT_EQ(pods(), (Texts{}));
    EXPECT_EQ(status("Pod").unreadable, 0u);
}

TEST_F(ClusterCacheTest, CancelsAllRequestsAtItsEnd) {
    {
        ClusterCache other(api, loop, {});
        other.start();
    }
    loop.settle();
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_FALSE(loop.next_due());
}

}  // namespace
}  // namespace capstan::kubernetes::client
