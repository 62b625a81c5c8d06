#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::HasSubstr;

struct ApiWrites : ApiServerTest {
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    const std::string nodes = "/api/v1/nodes";
    static constexpr const char* merge = "application/merge-patch+json";
    static constexpr const char* strategic = "application/strategic-merge-patch+json";
    static constexpr const char* operations = "application/json-patch+json";

    void SetUp() override {
        ASSERT_EQ(send("POST", maps, R"({"metadata":{"name":"m"},"data":{"a":"1"}})").status, 201);
        ASSERT_EQ(send("POST", nodes, R"({"metadata":{"name":"n"},"status":{"phase":"x"}})").status,
                  201);
    }
    std::string revision(const std::string& path) {
        return std::string(text_at(get(path).body, "metadata.resourceVersion"));
    }
};

TEST_F(ApiWrites, AreVisibleToReads) {
    const Response response = get(maps + "/m");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(text_at(response.body, "data.a"), "1");
    EXPECT_EQ(text_at(response.body, "metadata.namespace"), "default");
    EXPECT_EQ(text_at(get(nodes + "/n").body, "status.phase"), "x")
        << "nodes may be created with a status";
}

TEST_F(ApiWrites, PatchOnlyTheNamedMembersWithEachPatchType) {
    struct Case {
        const char* type;
        const char* body;
    };
    const Case cases[] = {
        {merge, R"({"data":{"b":"2"}})"},
        {strategic, R"({"data":{"b":"2"}})"},
        {operations, R"([{"op":"add","path":"/data/b","value":"2"}])"},
    };
    for (const Case& c : cases) {
        const Response response = send("PATCH", maps + "/m", c.body, c.type);
        EXPECT_EQ(response.status, 200) << c.type;
        EXPECT_EQ(json::serialize(response.body.at("data")), R"({"a":"1","b":"2"})") << c.type;
        ASSERT_EQ(send("PATCH", maps + "/m", R"({"data":{"b":null}})", merge).status, 200);
    }
}

TEST_F(ApiWrites, AreRejectedWithTheMatchingStatus) {
    struct Case {
        const char* what;
        std::string method, path, body, type;
        int status;
        const char* reason;
    };
    const std::string json_type = "application/json";
    const Case cases[] = {
        {"twice", "POST", maps, R"({"metadata":{"name":"m"}})", json_type, 409, "AlreadyExists"},
        {"absent", "PATCH", maps + "/x", "{}", merge, 404, "NotFound"},
        {"absent", "PUT", maps + "/x", R"({"metadata":{"name":"x"}})", json_type, 404, "NotFound"},
        {"absent", "DELETE", maps + "/x", "", json_type, 404, "NotFound"},
        {"guarded", "PATCH", maps + "/m", R"({"metadata":{"resourceVersion":"1"}})", merge, 409,
         "Conflict"},
        {"failed test operation", "PATCH", maps + "/m",
         R"([{"op":"test","path":"/data/a","value":"2"}])", operations, 422, "Invalid"},
        {"not a patch type", "PATCH", maps + "/m", "{}", json_type, 415, "UnsupportedMediaType"},
        {"protobuf", "POST", maps, "k8s", "application/vnd.kubernetes.protobuf", 400, "BadRequest"},
        {"no JSON", "POST", maps, "{", json_type, 400, "BadRequest"},
        {"a list", "POST", maps, "[]", json_type, 400, "BadRequest"},
        {"other name", "PUT", maps + "/m", R"({"metadata":{"name":"x"}})", json_type, 400,
         "BadRequest"},
        {"other uid", "DELETE", maps + "/m", R"({"preconditions":{"uid":"x"}})", json_type, 409,
         "Conflict"},
        {"unknown subresource", "PATCH", maps + "/m/status", "{}", merge, 404, "NotFound"},
        {"unsupported method", "PUT", maps, R"({"metadata":{"name":"m"}})", json_type, 405,
         "MethodNotAllowed"},
    };
    for (const Case& c : cases) {
        const Response response = send(c.method, c.path, c.body, c.type);
        EXPECT_EQ(response.status, c.status) << c.what;
        EXPECT_EQ(text_at(response.body, "reason"), c.reason) << c.what;
        EXPECT_EQ(integer_at(response.body, "code"), c.status) << c.what;
    }
}

TEST_F(ApiWrites, AreRejectedIfTheResourceVersionIsOld) {
    const std::string before = revision(nodes + "/n");
    const std::string patch = R"({"metadata":{"resourceVersion":")" + before +
                              R"("},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}})";
    EXPECT_EQ(send("PATCH", nodes + "/n", patch, merge).status, 200);
    EXPECT_EQ(send("PATCH", nodes + "/n", patch, merge).status, 409);
}

TEST_F(ApiWrites, KeepStatusAndSpecSeparate) {
    const std::string path = nodes + "/n";
    send("PATCH", path, R"({"spec":{"a":1},"status":{"phase":"y"}})", merge);
    EXPECT_EQ(text_at(get(path).body, "status.phase"), "x");
    send("PATCH", path + "/status", R"({"spec":{"a":2},"status":{"phase":"z"}})", strategic);
    EXPECT_EQ(text_at(get(path).body, "status.phase"), "z");
    EXPECT_EQ(integer_at(get(path).body, "spec.a"), 1);
}

TEST_F(ApiWrites, ChangeNothingInADryRun) {
    EXPECT_EQ(send("POST", maps + "?dryRun=All", R"({"metadata":{"name":"q"}})").status, 201);
    EXPECT_EQ(get(maps + "/q").status, 404);
    const Response patched = send("PATCH", maps + "/m?dryRun=All", R"({"data":{"a":"9"}})", merge);
    EXPECT_EQ(text_at(patched.body, "data.a"), "9");
    EXPECT_EQ(text_at(get(maps + "/m").body, "data.a"), "1");
    EXPECT_EQ(send("DELETE", maps + "/m", R"({"dryRun":["All"]})").status, 200);
    EXPECT_EQ(get(maps + "/m").status, 200);
}

TEST_F(ApiWrites, ReportTheDeletedObject) {
    const Response response = send("DELETE", maps + "/m", R"({"propagationPolicy":"Background"})");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(text_at(response.body, "status"), "Success");
    EXPECT_EQ(text_at(response.body, "details.name"), "m");
    EXPECT_EQ(get(maps + "/m").status, 404);
}

TEST_F(ApiWrites, DeleteCollectionsByLabel) {
    send("POST", maps, R"({"metadata":{"name":"q","labels":{"go":"yes"}}})");
    EXPECT_EQ(send("DELETE", maps + "?labelSelector=go%3Dyes").status, 200);
    EXPECT_EQ(get(maps + "/q").status, 404);
    EXPECT_EQ(get(maps + "/m").status, 200);
}

struct ScaleSubresource : ApiServerTest {
    const std::string path = "/apis/apps/v1/namespaces/default/deployments/d/scale";
    void SetUp() override {
        const json::object made = parsed(R"({"metadata":{"name":"d"},"spec":{"replicas":2,
            "selector":{"matchLabels":{"app":"d","a":"b"}}}})");
        ASSERT_TRUE(store.create(store.kind("deployments.apps"), "default", made));
    }
};

TEST_F(ScaleSubresource, ReadsAndWritesReplicas) {
    const Response before = get(path);
    EXPECT_EQ(text_at(before.body, "kind"), "Scale");
    EXPECT_EQ(integer_at(before.body, "spec.replicas"), 2);
    EXPECT_EQ(integer_at(before.body, "status.replicas"), 0);
    EXPECT_EQ(text_at(before.body, "status.selector"), "a=b,app=d");
    const char* merge = "application/merge-patch+json";
    EXPECT_EQ(
        integer_at(send("PATCH", path, R"({"spec":{"replicas":5}})", merge).body, "spec.replicas"),
        5);
    EXPECT_EQ(send("PUT", path, json::serialize(before.body)).status, 409)
        << "changed since it was read";
    json::object now = get(path).body;
    set_value(now, "spec.replicas", 7);
    EXPECT_EQ(send("PUT", path, json::serialize(now)).status, 200);
    EXPECT_EQ(integer_at(get(path).body, "spec.replicas"), 7);
    EXPECT_EQ(send("PATCH", path, R"({"spec":{"replicas":-1}})", merge).status, 422);
}

TEST_F(ScaleSubresource, IsShownAsATable) {
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    EXPECT_THAT(get(path).reply.body, HasSubstr(R"("cells":["d",2,0,"0s"])"));
}

TEST_F(ScaleSubresource, IsNotFoundForOtherKinds) {
    EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/m/scale").status, 404);
}

TEST_F(ApiServerTest, AllowsEveryAccessReview) {
    const std::string reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const Response json =
        send("POST", reviews, R"({"spec":{"resourceAttributes":{"verb":"get"}}})");
    EXPECT_EQ(json.status, 201);
    EXPECT_TRUE(is_true_at(json.body, "status.allowed"));
    EXPECT_EQ(text_at(json.body, "spec.resourceAttributes.verb"), "get");
    const Response other = send("POST", reviews, "k8s", "application/vnd.kubernetes.protobuf");
    EXPECT_TRUE(is_true_at(other.body, "status.allowed")) << "for any body";
}

struct ApiWorkloads : ApiServerTest {
    const std::string path = "/apis/apps/v1/namespaces/default/deployments";

    static std::string deployment(const std::string& selector, const std::string& labels) {
        return R"({"metadata":{"name":"d"},"spec":{"selector":)" + selector +
               R"(,"template":{"metadata":{"labels":)" + labels +
               R"(},"spec":{"containers":[{"name":"c"}]}}}})";
    }
    static constexpr const char* merge = "application/merge-patch+json";
};

TEST_F(ApiWorkloads, RequireASelectorThatMatchesTheTemplate) {
    const char* web = R"({"matchLabels":{"app":"web"}})";
    EXPECT_EQ(send("POST", path, deployment(web, R"({"app":"shop"})")).status, 422);
    EXPECT_EQ(send("POST", path, deployment(web, "{}")).status, 422);
    EXPECT_EQ(send("POST", path, deployment("{}", R"({"app":"web"})")).status, 422);
    EXPECT_EQ(send("POST", path, deployment("null", R"({"app":"web"})")).status, 422);
    EXPECT_EQ(send("PATCH", path + "/d?fieldManager=me", deployment(web, "{}"),
                   "application/apply-patch+yaml")
                  .status,
              422);
    EXPECT_EQ(send("POST", path, deployment(web, R"({"app":"web","tier":"a"})")).status, 201);
}

TEST_F(ApiWorkloads, RejectChangesThatBreakTheSelector) {
    ASSERT_EQ(send("POST", path, deployment(R"({"matchLabels":{"app":"web"}})", R"({"app":"web"})"))
                  .status,
              201);
    const auto patch = [&](const char* spec) {
        return send("PATCH", path + "/d", std::string(R"({"spec":)") + spec + "}", merge).status;
    };
    EXPECT_EQ(patch(R"({"selector":{"matchLabels":{"app":"shop"}}})"), 422);
    EXPECT_EQ(patch(R"({"template":{"metadata":{"labels":{"app":"shop"}}}})"), 422);
    EXPECT_EQ(patch(R"({"template":{"metadata":{"labels":{"tier":"b"}}}})"), 200);
    EXPECT_EQ(patch(R"({"replicas":3})"), 200);
}

TEST_F(ApiServerTest, IssuesServiceAccountTokens) {
    const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
    ASSERT_EQ(send("POST", accounts, R"({"metadata":{"name":"robot"}})").status, 201);
    const Response token = send("POST", accounts + "/robot/token", "{}");
    EXPECT_EQ(token.status, 201);
    EXPECT_THAT(std::string(text_at(token.body, "status.token")), HasSubstr("simulated-"));
    EXPECT_EQ(text_at(token.body, "status.expirationTimestamp"), "2026-11-21T11:00:00Z");
    EXPECT_EQ(send("POST", accounts + "/nobody/token", "{}").status, 404);
}

TEST_F(ApiServerTest, RejectsExecAttachAndPortForward) {
    run_pod("p");
    for (const char* what : {"exec", "attach", "portforward"}) {
        const Response refused =
            send("POST", std::string("/api/v1/namespaces/default/pods/p/") + what);
        EXPECT_EQ(refused.status, 400) << what;
        EXPECT_THAT(std::string(text_at(refused.body, "message")), HasSubstr("runs no process"));
    }
}

struct HorizontalPodAutoscalers : ApiServerTest {
    static std::string path(const std::string& version) {
        return "/apis/autoscaling/" + version + "/namespaces/default/horizontalpodautoscalers";
    }
    static constexpr const char* target =
        R"("scaleTargetRef":{"kind":"Deployment","name":"web"},"minReplicas":2,"maxReplicas":5)";
};

TEST_F(HorizontalPodAutoscalers, AreConvertedBetweenV1AndV2) {
    const Response made = send("POST", path("v1"),
                               std::string(R"({"metadata":{"name":"web"},"spec":{)") + target +
                                   R"(,"targetCPUUtilizationPercentage":50}})");
    ASSERT_EQ(made.status, 201);
    EXPECT_EQ(text_at(made.body, "apiVersion"), "autoscaling/v1");
    EXPECT_EQ(integer_at(made.body, "spec.targetCPUUtilizationPercentage"), 50);
    const Response now = get(path("v2") + "/web");
    EXPECT_EQ(text_at(now.body, "apiVersion"), "autoscaling/v2");
    EXPECT_THAT(now.reply.body,
                HasSubstr(R"("target":{"type":"Utilization","averageUtilization":50})"));
    EXPECT_EQ(find_value(now.body, "spec.targetCPUUtilizationPercentage"), nullptr);
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    EXPECT_THAT(get(path("v2")).reply.body,
                HasSubstr(R"("cells":["web","Deployment/web","cpu: <unknown>/50%",2,5,0,"0s"])"));
}

TEST_F(HorizontalPodAutoscalers, AreChangedThroughEitherVersion) {
    ASSERT_EQ(send("POST", path("v2"),
                   std::string(R"({"metadata":{"name":"web"},"spec":{)") + target +
                       R"(,"metrics":[{"type":"Resource","resource":{"name":"cpu",
                      "target":{"type":"Utilization","averageUtilization":70}}}]}})")
                  .status,
              201);
    const Response patched = send("PATCH", path("v1") + "/web", R"({"spec":{"maxReplicas":9}})",
                                  "application/merge-patch+json");
    EXPECT_EQ(integer_at(patched.body, "spec.targetCPUUtilizationPercentage"), 70);
    EXPECT_EQ(integer_at(get(path("v2") + "/web").body, "spec.maxReplicas"), 9);
    EXPECT_EQ(send("PUT", path("v1") + "/web", get(path("v2") + "/web").reply.body).status, 200)
        << "a body in the storage version is accepted";
    EXPECT_EQ(
        send("POST", path("v1"), R"({"apiVersion":"apps/v1","metadata":{"name":"x"}})").status,
        400);
}

}  // namespace
}  // namespace capstan::simulator::api_server
