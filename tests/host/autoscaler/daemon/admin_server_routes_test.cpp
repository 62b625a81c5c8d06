#include "autoscaler/daemon/admin_server.hpp"

#include <gmock/gmock.h>

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::HasSubstr;

struct AdminRoutes : ::testing::Test {
    std::string complaint, stuck, unready;
    AdminQuestion asked;
    Result<std::string> answer = std::string("because");
    AdminSources sources{.metrics = [] { return "up 1\n"; },
                         .complaint = [this] { return complaint; },
                         .stuck = [this] { return stuck; },
                         .unready = [this] { return unready; },
                         .status = [] { return "{\"leads\":true}"; },
                         .groups = [] { return "[]"; },
                         .plugins = [] { return "[]"; },
                         .config = [] { return "{}"; },
                         .decisions = [] { return "[]"; },
                         .explain =
                             [this](AdminQuestion question, AdminSources::Answer done) {
                                 asked = std::move(question);
                                 done(answer);
                             }};

    HttpReply get(const std::string& target, const std::string& method = "GET") {
        HttpReply out;
        answer_admin(sources, method, target, [&](HttpReply reply) { out = std::move(reply); });
        return out;
    }
};

TEST_F(AdminRoutes, ServeMetricsAndDocuments) {
    EXPECT_EQ(get("/metrics").body, "up 1\n");
    EXPECT_THAT(std::string(get("/metrics").header("content-type")), HasSubstr("version=0.0.4"));
    EXPECT_EQ(get("/api/v2/status").body, "{\"leads\":true}\n");
    EXPECT_EQ(get("/api/v2/groups?x=1").status, 200);
    EXPECT_EQ(get("/status").body, get("/api/v2/status").body);
    EXPECT_EQ(get("/nowhere").status, 404);
    EXPECT_THAT(get("/nowhere").body, HasSubstr("/ lists all pages"));
    EXPECT_EQ(get("/api/v2/status", "POST").status, 405);
}

TEST_F(AdminRoutes, AreListedOnTheIndexPage) {
    const std::string page = get("/").body;
    EXPECT_THAT(std::string(get("/").header("content-type")), HasSubstr("text/html"));
    const std::string link = "<a href=\"";
    int links = 0;
    for (std::size_t at = page.find(link); at != std::string::npos; at = page.find(link, at)) {
        at += link.size();
        const std::string target = page.substr(at, page.find('"', at) - at);
        EXPECT_EQ(get(target).status, 200) << target;
        ++links;
    }
    EXPECT_EQ(links, 10);
    EXPECT_EQ(page.find("/snapshotz"), std::string::npos) << "it is disabled";
}

TEST_F(AdminRoutes, ServeProbes) {
    EXPECT_EQ(get("/health-check").body, "OK");
    EXPECT_EQ(get("/healthz").body, "OK");
    EXPECT_TRUE(is_probe("/healthz"));
    EXPECT_FALSE(is_probe("/"));
    complaint = "no pass has succeeded for 16m";
    EXPECT_EQ(get("/health-check").status, 500);
    EXPECT_EQ(get("/health-check").body, "Error: no pass has succeeded for 16m");
    EXPECT_EQ(get("/livez").status, 200);
    stuck = "no pass has started for 11m";
    EXPECT_EQ(get("/livez").status, 500);
    EXPECT_EQ(get("/readyz").status, 200);
    unready = "not synced yet: pods for plugin p";
    EXPECT_EQ(get("/readyz").status, 503);
    EXPECT_EQ(get("/readyz").body, "not synced yet: pods for plugin p");
}

TEST_F(AdminRoutes, NameAbsentPluginsInReadyz) {
    std::string absent;
    sources.absent = [&] { return absent; };
    EXPECT_EQ(get("/readyz").body, "OK");
    absent = "plugin aws: start: no credentials; retried in 10s";
    EXPECT_EQ(get("/readyz").status, 200);
    EXPECT_EQ(get("/readyz").body, "OK\n" + absent);
}

TEST_F(AdminRoutes, ParseExplainRequests) {
    EXPECT_EQ(get("/api/v2/explain/pod/shop/web-1").body, "because");
    EXPECT_EQ(asked.pod_ns + " " + asked.pod, "shop web-1");
    EXPECT_FALSE(asked.as_text);
    get("/api/v2/explain/node/n%2F1?format=text");
    EXPECT_EQ(asked.node, "n/1");
    EXPECT_TRUE(asked.as_text);
    get("/api/v2/explain/group/zone/web");
    EXPECT_EQ(asked.group, "zone/web");
    get("/api/v2/explain/statefulset/shop/db");
    EXPECT_EQ(asked.workload_kind + " " + asked.pod_ns + " " + asked.workload,
              "StatefulSet shop db");
    get("/api/v2/explain/matrix?format=text");
    EXPECT_EQ(asked.pod + asked.node + asked.group, "");
    EXPECT_TRUE(asked.as_text);
    EXPECT_EQ(get("/api/v2/explain/matrix/web").status, 404);
    EXPECT_EQ(get("/api/v2/explain").status, 404);
    EXPECT_EQ(get("/api/v2/explain/pod/web-1").status, 404);
    EXPECT_EQ(get("/api/v2/explain/node/").status, 404);
    EXPECT_EQ(get("/api/v2/explain/node/100%").status, 200);
}

TEST_F(AdminRoutes, ReportWhyAnExplanationIsMissing) {
    answer = fail(ErrorCode::not_found, "no node \"n1\" in this cluster");
    EXPECT_EQ(get("/api/v2/explain/node/n1").status, 404);
    EXPECT_EQ(get("/api/v2/explain/node/n1").body,
              "{\"error\":\"no node \\\"n1\\\" in this cluster\"}\n");
    answer = fail(ErrorCode::busy, "later");
    EXPECT_EQ(get("/api/v2/explain/node/n1").status, 429);
    answer = fail(ErrorCode::unavailable, "no pass has run yet");
    EXPECT_EQ(get("/api/v2/explain/node/n1").status, 503);
}

TEST_F(AdminRoutes, ServeSnapshotsWithUpstreamsStatusCodes) {
    EXPECT_EQ(get("/snapshotz").status, 404) << "disabled";
    Result<TakenSnapshot> taken = TakenSnapshot{.json = "{}"};
    sources.snapshot = [&](const DebugSnapshot::Answer& done) { done(taken); };
    EXPECT_EQ(get("/snapshotz").status, 200);
    EXPECT_EQ(get("/snapshotz").body, "{}");
    taken->has_failed = true;
    EXPECT_EQ(get("/snapshotz").status, 500);
    taken = fail(ErrorCode::busy, "Another one");
    EXPECT_EQ(get("/snapshotz").status, 429);
    EXPECT_EQ(get("/snapshotz").body, "Another one");
    taken = fail(ErrorCode::unavailable, "no pass ran in time");
    EXPECT_EQ(get("/snapshotz").status, 503);
}

TEST(AdminToken, MustMatchCompletely) {
    EXPECT_TRUE(has_token("Bearer s3cret", "s3cret"));
    EXPECT_TRUE(has_token("bearer s3cret", "s3cret"));
    EXPECT_FALSE(has_token("Bearer S3CRET", "s3cret"));
    EXPECT_FALSE(has_token("Bearer s3cre", "s3cret"));
    EXPECT_FALSE(has_token("Bearer s3cret2", "s3cret"));
    EXPECT_FALSE(has_token("Basic s3cret", "s3cret"));
    EXPECT_FALSE(has_token("", "s3cret"));
    EXPECT_TRUE(is_probe("/livez?verbose"));
    EXPECT_FALSE(is_probe("/metrics"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
