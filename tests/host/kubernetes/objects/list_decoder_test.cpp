#include "kubernetes/objects/list_decoder.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::kubernetes::objects {
namespace {

using Counts = DecodeReport::Counts;

struct Loaded {
    engine::snapshot::Cluster cluster;
    DecodeReport report;
    std::vector<std::string> problems{};
};

Loaded load(std::string_view text) {
    engine::snapshot::ClusterBuilder builder;
    ListDecoder decoder(builder);
    std::ignore = decoder.feed(text);
    Loaded out{.cluster = builder.build(), .report = decoder.finish()};
    for (const ObjectProblem& problem : out.report.problems)
        out.problems.push_back(to_string(problem));
    return out;
}

std::string pod_json(const std::string& name, const std::string& cpu = "1",
                     const std::string& node = "") {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":")" + name +
           R"("},"spec":{"nodeName":")" + node +
           R"(","containers":[{"resources":{"requests":{"cpu":")" + cpu + R"("}}}]}})";
}

std::string list(const std::string& items) {
    return R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}";
}

TEST(ListDecoder, LoadsEveryKindOfASnapshot) {
    const Loaded loaded = load(list(R"(
        {"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"110"}}},
        {"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"namespace":"s","name":"d"},
         "spec":{"template":{"spec":{"containers":[]}}}},
        {"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"namespace":"shop","name":"c"}},
        {"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"v"}},
        {"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{"name":"sc"}},
        {"kind":"CSINode","apiVersion":"storage.k8s.io/v1","metadata":{"name":"n1"}},
        {"kind":"CSIDriver","apiVersion":"storage.k8s.io/v1","metadata":{"name":"cd"}},
        {"kind":"CSIStorageCapacity","apiVersion":"storage.k8s.io/v1","metadata":{"namespace":"s","name":"cc"}},
        {"kind":"Namespace","apiVersion":"v1","metadata":{"name":"shop","labels":{"team":"a"}}},
        {"kind":"Service","apiVersion":"v1","metadata":{"namespace":"shop","name":"s"},"spec":{"selector":{"app":"web"}}},)" +
                                    pod_json("web", "1500m", "n1")));
    EXPECT_TRUE(loaded.problems.empty()) << loaded.problems.front();
    EXPECT_EQ(loaded.report.loaded, (Counts{{"CSIDriver", 1},
                                            {"CSINode", 1},
                                            {"CSIStorageCapacity", 1},
                                            {"DaemonSet", 1},
                                            {"Namespace", 1},
                                            {"Node", 1},
                                            {"PersistentVolume", 1},
                                            {"PersistentVolumeClaim", 1},
                                            {"Pod", 1},
                                            {"Service", 1},
                                            {"StorageClass", 1}}));
    const engine::snapshot::Cluster& cluster = loaded.cluster;
    ASSERT_EQ(cluster.node_count(), 1u);
    EXPECT_EQ(cluster.requested(0)[engine::snapshot::cpu_index], 1500);
    EXPECT_EQ(cluster.daemon_sets().size(), 1u);
    EXPECT_TRUE(cluster.objects().claims.contains("shop/c"));
    EXPECT_TRUE(cluster.objects().volumes.contains("v"));
    EXPECT_TRUE(cluster.objects().storage_classes.contains("sc"));
    EXPECT_TRUE(cluster.objects().csi_nodes.contains("n1"));
    EXPECT_TRUE(cluster.objects().csi_drivers.contains("cd"));
    EXPECT_TRUE(cluster.objects().csi_capacities.contains("s/cc"));
    EXPECT_EQ(cluster.objects().namespaces.at("shop"), (Labels{{"team", "a"}}));
    EXPECT_EQ(cluster.objects().services.at("shop/s").selector, (Labels{{"app", "web"}}));
}

TEST(ListDecoder, LoadsADebuggingSnapshotOfClusterAutoscaler) {
    const Loaded loaded = load(R"({
        "NodeList":[{"Node":{"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4"}}},
                     "Pods":[{"metadata":{"name":"a","namespace":"x"},"spec":{"nodeName":"n1","containers":[
                              {"resources":{"requests":{"cpu":"2"}}}]}}]}],
        "UnscheduledPodsCanBeScheduled":[{"metadata":{"name":"b","namespace":"x"},"spec":{"containers":[{}]}}],
        "TemplateNodes":{"group":{"Node":{"metadata":{"name":"t"}},"Pods":[]}}})");
    EXPECT_EQ(loaded.report.loaded, (Counts{{"Node", 1}, {"Pod", 2}}));
    ASSERT_EQ(loaded.cluster.node_count(), 1u);
    EXPECT_EQ(loaded.cluster.requested(0)[engine::snapshot::cpu_index], 2000);
    EXPECT_EQ(loaded.cluster.unbound().size(), 1u);
}

TEST(ListDecoder, IgnoresAPodWithMalformedRequests) {
    const Loaded loaded =
        load(list(pod_json("a") + "," + pod_json("b", "lots") + "," + pod_json("c")));
    EXPECT_EQ(loaded.report.loaded, (Counts{{"Pod", 2}}));
    EXPECT_EQ(loaded.report.left_out, 1u);
    ASSERT_EQ(loaded.problems.size(), 1u);
    EXPECT_TRUE(loaded.problems[0].starts_with(
        "Pod shop/b: /spec/containers/0/resources/requests/cpu quantity \"lots\": "))
        << loaded.problems[0];
    EXPECT_TRUE(loaded.problems[0].ends_with("; the object is ignored")) << loaded.problems[0];
    EXPECT_EQ(loaded.cluster.pod_count(), 2u);
}

TEST(ListDecoder, KeepsAnObjectWithAMalformedOptionalMember) {
    const Loaded loaded = load(
        R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[],"priority":"high"}})");
    EXPECT_EQ(loaded.report.loaded, (Counts{{"Pod", 1}}));
    EXPECT_EQ(loaded.problems,
              std::vector<std::string>{"Pod default/a: /spec/priority expects an integer from "
                                       "-2147483648 to 2147483647, found text (\"high\")"});
}

TEST(ListDecoder, CountsUnusedKinds) {
    const Loaded loaded =
        load(list(R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"r"}},
        {"kind":"Deployment","apiVersion":"apps/v1"},{"kind":"CronJob","apiVersion":"batch/v1"},
        {"kind":"Node","apiVersion":"longhorn.io/v1beta2","metadata":{"name":"n"}})"));
    EXPECT_EQ(loaded.report.ignored,
              (Counts{{"CronJob", 1}, {"Deployment", 2}, {"Node (longhorn.io)", 1}}));
    EXPECT_TRUE(loaded.report.loaded.empty());
    EXPECT_TRUE(loaded.problems.empty());
    EXPECT_EQ(loaded.cluster.node_count(), 0u);
}

TEST(ListDecoder, KeepsTheLastOfTwoObjectsWithOneName) {
    const Loaded loaded = load(pod_json("a", "1") + pod_json("a", "3"));
    EXPECT_EQ(loaded.report.loaded, (Counts{{"Pod", 2}}));
    ASSERT_EQ(loaded.cluster.pod_count(), 1u);
    const auto& requests =
        loaded.cluster.equivalence_group(loaded.cluster.equivalence_group_of(0)).requests;
    EXPECT_EQ(requests[0].amount, 3000);
}

TEST(ListDecoder, ReportsItemsWithoutAKind) {
    const Loaded loaded = load(
        R"([7,{},{"kind":"Node","metadata":{}},{"kind":"Pod","metadata":{"name":"p"}},{"kind":3}])");
    const std::string left_out = "; the object is ignored";
    const std::string no_kind = "has no kind, and its list does not name one before it" + left_out;
    EXPECT_EQ(loaded.problems,
              (std::vector<std::string>{
                  "object 1: expects an object" + left_out, "object 2: " + no_kind,
                  "Node (object 3): /metadata/name is missing" + left_out,
                  "Pod default/p: /spec is missing" + left_out, "object 5: " + no_kind}));
    EXPECT_EQ(loaded.report.left_out, 5u);
}

TEST(ListDecoder, ReportsAStatusInsteadOfAList) {
    EXPECT_EQ(
        load(
            R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden"})")
            .problems,
        std::vector<std::string>{"Status: /message says \"pods is forbidden\""});
    EXPECT_EQ(load(R"({"NodeList":null,"Error":"too slow"})").problems,
              std::vector<std::string>{"debugging snapshot: /Error says \"too slow\""});
}

TEST(ListDecoder, KeepsTheFirst100Problems) {
    std::string items;
    for (int i = 0; i < 130; ++i)
        items += (i > 0 ? "," : "") + pod_json("p" + std::to_string(i), "x");
    const Loaded loaded = load(list(items));
    EXPECT_EQ(loaded.report.problems.size(), 100u);
    EXPECT_EQ(loaded.report.more_problems, 30u);
    EXPECT_EQ(loaded.report.left_out, 130u);
    EXPECT_EQ(loaded.report.problems.front().object, "Pod shop/p0");
}

TEST(ListDecoder, ReportsTruncatedInputAndKeepsEarlierObjects) {
    const std::string whole = list(pod_json("a") + "," + pod_json("b"));
    const Loaded loaded = load(whole.substr(0, whole.size() - 10));
    ASSERT_TRUE(loaded.report.cut_short);
    EXPECT_NE(loaded.report.cut_short->message.find("is truncated"), std::string::npos);
    EXPECT_EQ(loaded.report.loaded, (Counts{{"Pod", 1}}));
    EXPECT_FALSE(load(whole).report.cut_short);
}

}  // namespace
}  // namespace capstan::kubernetes::objects
