#include "simulator/api_server/tables.hpp"

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(HumanDuration, IsFormattedLikeKubectl) {
    struct Case {
        Duration age;
        const char* text;
    };
    const Case cases[] = {
        {-5s, "<invalid>"}, {0s, "0s"},          {119s, "119s"},     {2min, "2m"},
        {150s, "2m30s"},    {599s, "9m59s"},     {10min, "10m"},     {179min, "179m"},
        {3h, "3h"},         {205min, "3h25m"},   {8h, "8h"},         {47h, "47h"},
        {48h, "2d"},        {51h, "2d3h"},       {24h * 8, "8d"},    {24h * 700, "700d"},
        {24h * 730, "2y"},  {24h * 735, "2y5d"}, {24h * 3000, "8y"},
    };
    for (const Case& c : cases) EXPECT_EQ(human_duration(c.age), c.text);
}

struct ApiTables : ApiServerTest {
    std::string rows(const std::string& resource, const std::string& object) {
        const ResourceKind& kind = store.kind(resource);
        const json::object table =
            make_table(kind, {std::make_shared<const json::object>(parsed(object))}, {}, "v1",
                       RowObject::metadata, test_start + 90s);
        return json::serialize(table.at("rows").as_array().front().at("cells"));
    }
    static std::string created(const std::string& rest) {
        return R"({"metadata":{"name":"x","creationTimestamp":"2026-11-21T10:00:00Z")" + rest;
    }
};

TEST_F(ApiTables, ShowNodes) {
    EXPECT_EQ(rows("nodes", created(R"(,"labels":{"node-role.kubernetes.io/worker":""}},
        "spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],
        "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
        "nodeInfo":{"kubeletVersion":"v1.33.0"}}})")),
              R"(["x","Ready,SchedulingDisabled","worker","90s","v1.33.0","10.0.0.1","<none>",)"
              R"("<unknown>","<unknown>","<unknown>"])");
    EXPECT_EQ(rows("nodes", created("}}")).substr(0, 26), R"(["x","Unknown","<none>","9)");
}

TEST_F(ApiTables, ShowThePhaseOrReasonOfPods) {
    struct Case {
        const char* pod;
        const char* ready;
        const char* state;
        const char* restarts;
    };
    const Case cases[] = {
        {R"("status":{"phase":"Pending"})", "0/1", "Pending", "0"},
        {R"("status":{"phase":"Running","containerStatuses":[{"ready":true,"restartCount":2,
            "state":{"running":{}}}]})",
         "1/1", "Running", "2"},
        {R"("status":{"phase":"Running","containerStatuses":[{"restartCount":3,
            "state":{"waiting":{"reason":"CrashLoopBackOff"}},
            "lastState":{"terminated":{"finishedAt":"2026-11-21T10:01:00Z"}}}]})",
         "0/1", "CrashLoopBackOff", "3 (30s ago)"},
        {R"("status":{"phase":"Succeeded","containerStatuses":[{"state":{"terminated":
            {"reason":"Completed","exitCode":0}}}]})",
         "0/1", "Completed", "0"},
        {R"("status":{"phase":"Pending","initContainerStatuses":[{"state":{"running":{}}}]})",
         "0/1", "Init:0/1", "0"},
        {R"("status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
            "reason":"SchedulingGated"}]})",
         "0/1", "SchedulingGated", "0"},
        {R"("status":{"phase":"Failed","reason":"Evicted"})", "0/1", "Evicted", "0"},
    };
    for (const Case& c : cases) {
        const std::string row =
            rows("pods",
                 created(R"(},"spec":{"containers":[{}],"initContainers":[{}],"nodeName":"n"},)" +
                         std::string(c.pod) + "}"));
        EXPECT_EQ(row, R"(["x",")" + std::string(c.ready) + R"(",")" + c.state + R"(",")" +
                           c.restarts + R"(","90s","<none>","n","<none>","<none>"])");
    }
    EXPECT_THAT(rows("pods", created(R"(,"deletionTimestamp":"2026-11-21T10:01:00Z"}})")),
                ::testing::HasSubstr("Terminating"));
}

TEST_F(ApiTables, ShowWorkloadsBudgetsAndEvents) {
    struct Case {
        const char* resource;
        const char* object;
        const char* cells;
    };
    const Case cases[] = {
        {"deployments.apps",
         R"(},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},"template":{"spec":
            {"containers":[{"name":"c","image":"i"}]}}},
            "status":{"readyReplicas":2,"updatedReplicas":3,"availableReplicas":1}})",
         R"(["x","2/3",3,1,"90s","c","i","a=b"])"},
        {"poddisruptionbudgets.policy",
         R"(},"spec":{"minAvailable":"50%"},"status":{"disruptionsAllowed":2}})",
         R"(["x","50%","N/A",2,"90s"])"},
        {"events",
         R"(},"type":"Normal","reason":"R","message":"m","lastTimestamp":"2026-11-21T10:01:00Z",
            "count":4,"involvedObject":{"kind":"Node","name":"n"},"source":{"component":"c"}})",
         R"(["30s","Normal","R","node/n","","c","m","30s",4,"x"])"},
        {"jobs.batch",
         R"(},"spec":{"completions":2,"template":{}},"status":{"succeeded":1,
            "startTime":"2026-11-21T10:00:30Z"}})",
         R"(["x","Running","1/2","60s","90s","","","<none>"])"},
        {"configmaps", R"(},"data":{"a":"","b":""}})", R"(["x",2,"90s"])"},
        {"leases.coordination.k8s.io", R"(},"spec":{"holderIdentity":"me"}})",
         R"(["x","me","90s"])"},
        {"csinodes.storage.k8s.io", "}}", R"(["x","90s"])"},
        {"cronjobs.batch", R"(},"spec":{"schedule":"* * * * *"}})",
         R"(["x","* * * * *","<none>","False",0,"<none>","90s"])"},
        {"ingresses.networking.k8s.io", R"(},"spec":{"rules":[{"host":"a.b"},{}],"tls":[{}]}})",
         R"(["x","<none>","a.b,*","","80, 443","90s"])"},
        {"networkpolicies.networking.k8s.io",
         R"(},"spec":{"podSelector":{"matchLabels":{"a":"b"}}}})", R"(["x","a=b","90s"])"},
        {"persistentvolumes",
         R"(},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
            "claimRef":{"namespace":"n","name":"c"},"storageClassName":"s"},
            "status":{"phase":"Bound"}})",
         R"(["x","1Gi","ReadWriteOnce","Retain","Bound","n/c","s","90s"])"},
    };
    for (const Case& c : cases) EXPECT_EQ(rows(c.resource, created(c.object)), c.cells);
}

TEST_F(ApiTables, IncludeObjectMetadataOfEachRow) {
    run_pod("p", R"({"app":"web"})");
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const Response list = get("/api/v1/namespaces/default/pods");
    EXPECT_EQ(text_at(list.body, "kind"), "Table");
    EXPECT_EQ(text_at(list.body, "metadata.resourceVersion"), std::to_string(store.revision()));
    const json::object& row = list.body.at("rows").as_array().front().as_object();
    EXPECT_EQ(text_at(row, "object.kind"), "PartialObjectMetadata");
    EXPECT_EQ(text_at(row, "object.metadata.labels.app"), "web");
    const Response whole = get("/api/v1/namespaces/default/pods?includeObject=Object");
    EXPECT_THAT(whole.reply.body, ::testing::HasSubstr(R"("nodeName":"n1")"));
    EXPECT_EQ(find_array(get("/api/v1/namespaces/default/pods/p").body, "rows")->size(), 1u);
}

TEST(ColumnPaths, SelectMembersElementsAndFilteredElements) {
    const json::object object = parsed(R"({"spec":{"n":3,"list":["a","b"],"a.b":"dotted"},
        "status":{"conditions":[{"type":"X","status":"no"},{"type":"Ready","status":"yes"}]}})");
    struct Case {
        const char* path;
        const char* value;
    };
    const Case cases[] = {
        {".spec.n", "3"},
        {".spec.list[1]", "\"b\""},
        {".spec['a.b']", "\"dotted\""},
        {".spec.a\\.b", "\"dotted\""},
        {".status.conditions[?(@.type=='Ready')].status", "\"yes\""},
        {".status.conditions[?(@.type==\"X\")].status", "\"no\""},
    };
    for (const Case& c : cases) {
        const auto found = values_at(object, c.path);
        ASSERT_EQ(found.size(), 1u) << c.path;
        EXPECT_EQ(json::serialize(*found.front()), c.value) << c.path;
    }
    EXPECT_EQ(values_at(object, ".spec.list[*]").size(), 2u);
    EXPECT_TRUE(values_at(object, ".spec.none.x").empty());
    EXPECT_TRUE(values_at(object, ".spec[").empty());
}

}  // namespace
}  // namespace capstan::simulator::api_server
