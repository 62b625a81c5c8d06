// `capstan simulate` and `capstan explain` with a cluster dump and with a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "../../host/commands/dump_objects.hpp"
#include "../../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A cluster of one node with 1 of 4 cores free, pool "web", with pending pods: two that need
/// another node, and one that fits on no node.
std::string dump() {
    const std::string node =
        R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","creationTimestamp":"2026-01-01T00:00:00Z",
        "labels":{"kubernetes.io/hostname":"n1","agentpool":"web","topology.kubernetes.io/zone":"a"}},
        "status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},
        "allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
        "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
    const auto pod = [](const std::string& name, const std::string& cpu, const std::string& bound) {
        const std::string status =
            bound.empty() ? R"({"phase":"Pending","conditions":[{"type":"PodScheduled",)"
                            R"("status":"False","reason":"Unschedulable"}]})"
                          : R"({"phase":"Running"})";
        return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":")" + name +
               R"(","creationTimestamp":"2026-01-01T01:00:00Z"},"spec":{"nodeName":")" + bound +
               R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu +
               R"("}}}]},"status":)" + status + "}";
    };
    return R"({"kind":"List","apiVersion":"v1","items":[)" + node + "," +
           pod("running", "3", "n1") + "," + pod("web-1", "2", "") + "," + pod("web-2", "2", "") +
           "," + pod("huge", "32", "") + "]}";
}

/// The objects of the dump of this kind.
std::string only_of_kind(std::string_view kind) {
    json::value all = json::parse(dump());
    json::array kept;
    for (const json::value& item : all.at("items").as_array())
        if (std::string_view(item.at("kind").as_string()) == kind) kept.push_back(item);
    all.as_object()["items"] = std::move(kept);
    return json::serialize(all);
}

/// Two nodes of one pool, and a ReplicaSet with a pending pod that fits on either; with the
/// PodDisruptionBudget `budget`, for example "maxUnavailable":0. The second node is unneeded.
std::string dump_with_budget(const std::string& budget) {
    const auto pod = [](const std::string& name, const std::string& bound) {
        return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":")" + name +
               R"(","uid":")" + name +
               R"(","creationTimestamp":"2026-01-01T01:00:00Z","labels":{"app":"web"},
               "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web",
               "uid":"u1","controller":true}]},"spec":{"nodeName":")" +
               bound + R"(","containers":[{"resources":{"requests":{"cpu":"500m"}}}]},
               "status":{"phase":")" +
               (bound.empty() ? "Pending" : "Running") +
               R"(","conditions":[{"type":"Ready","status":")" +
               (bound.empty() ? "False" : "True") + R"("}]}})";
    };
    const std::string replica_set =
        R"({"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"namespace":"shop","name":"web",
        "uid":"u1"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}}}})";
    const std::string disruption_budget =
        R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"namespace":"shop",
        "name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},)" +
        budget + R"(},"status":{"disruptionsAllowed":0}})";
    return R"({"kind":"List","apiVersion":"v1","items":[)" + ready_node("n1") + "," +
           ready_node("n2") + "," + replica_set + "," + disruption_budget + "," +
           pod("web-1", "n1") + "," + pod("web-2", "n2") + "," + pod("web-3", "") + "]}";
}

/// A node of 4 cores with 1 core free, and `others`: "{...},{...}".
std::string dump_with_one_node(const std::string& others) {
    return R"({"kind":"List","apiVersion":"v1","items":[
        {"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","creationTimestamp":"2026-01-01T00:00:00Z",
        "managedFields":[{"manager":"kubelet","fieldsV1":{"f:metadata":{}}}],
        "labels":{"kubernetes.io/hostname":"n1","agentpool":"web"}},"status":{
        "capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
        "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}},
        {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"busy","creationTimestamp":"2026-01-01T01:00:00Z"},
        "spec":{"nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"3"}}}]},"status":{"phase":"Running"}},)" +
           others + "]}";
}

std::string pending_pod(const std::string& name, const std::string& cpu,
                        const std::string& metadata = {}, const std::string& spec = {}) {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop",)" + metadata +
           R"("name":")" + name + R"(","creationTimestamp":"2026-01-01T01:00:00Z"},"spec":{)" +
           spec + R"("containers":[{"resources":{"requests":{"cpu":")" + cpu +
           R"("}}}]},"status":{"phase":"Pending"}})";
}

class ClusterDump : public ::testing::Test {
protected:
    Folder folder_;
    std::string dump_ = folder_.write("dump.json", dump());
};

TEST_F(ClusterDump, IsSimulatedFromItsCurrentState) {
    const CommandResult ran = capstan("simulate --cluster " + dump_ + " -o json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value report = json::parse(ran.out);
    const json::object& summary = report.at("summary").as_object();
    EXPECT_EQ(summary.at("nodes").at("end"), 2);
    ASSERT_EQ(summary.at("still_pending").as_array().size(), 1u);
    EXPECT_EQ(summary.at("still_pending").at(0).at("pods"), "huge");
    EXPECT_THAT(ran.err, HasSubstr("guessed 1 node group from 1 node"));
}

TEST_F(ClusterDump, EvictsNoPodAgainstABudget) {
    struct Case {
        const char* budget;
        bool is_removed;
    };
    const Case cases[]{
        {R"("maxUnavailable":0)", false},    {R"("maxUnavailable":"0%")", false},
        {R"("minAvailable":3)", false},      {R"("minAvailable":"100%")", false},
        {R"("minAvailable":"67%")", false},  // 2.01 of 3 must stay: 3
        {R"("minAvailable":"66%")", true},   // 1.98: 2
        {R"("maxUnavailable":"1%")", true},  // 0.03 may be removed: 1
        {R"("minAvailable":2)", true},       {R"("maxUnavailable":1)", true},
        {R"("minAvailable":"most")", false},
    };
    for (const Case& c : cases) {
        const CommandResult ran =
            capstan("simulate --cluster - -o json", dump_with_budget(c.budget));
        ASSERT_EQ(ran.code, 0) << ran.err;
        const json::value nodes = json::parse(ran.out).at("summary").at("nodes");
        EXPECT_EQ(nodes.at("end"), c.is_removed ? 1 : 2) << c.budget << ran.out;
    }
}

TEST_F(ClusterDump, NamesMissingKinds) {
    const CommandResult ran =
        capstan("simulate --cluster - -o json", dump_with_budget(R"("maxUnavailable":1)"));
    EXPECT_THAT(ran.err, HasSubstr("the dump has no ds, rc, sts, deploy and 9 more; `capstan dump` "
                                   "takes all kinds"));
}

TEST_F(ClusterDump, ExplainsAPendingPodThatWouldFit) {
    const std::string text = dump_with_budget(R"("maxUnavailable":1)");
    const CommandResult pending = capstan("explain pod shop/web-3 --cluster -", text);
    EXPECT_THAT(pending.out,
                HasSubstr("pending in the dump; would fit on n1 now, but is not bound to it"))
        << pending.err;
    EXPECT_THAT(capstan("explain pod shop/web-3 --at 1m --cluster -", text).out,
                HasSubstr("bound to node n1"));
    EXPECT_THAT(capstan("explain pod shop/web-1 --cluster -", text).out,
                HasSubstr("bound to node n1"));
}

TEST_F(ClusterDump, ExplainsANodeAtTheTimeOfTheDump) {
    const std::string text = dump_with_budget(R"("maxUnavailable":1)");
    const CommandResult now = capstan("explain node n2 --cluster -", text);
    EXPECT_THAT(now.out, ::testing::Not(HasSubstr("CurrentlyBeingDeleted"))) << now.err;
    EXPECT_EQ(capstan("explain node n2 --at soon --cluster -", text).code, 2);
}

TEST_F(ClusterDump, CountsAPendingDaemonSetPodAsThePodOfItsNode) {
    const std::string daemon_set =
        R"({"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"namespace":"shop","name":"logs","uid":"d1"},
        "spec":{"template":{"metadata":{},"spec":{"containers":[{"resources":{"requests":{"cpu":"500m"}}}]}}}})";
    const std::string its_pod = pending_pod(
        "logs-x7", "500m",
        R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"logs","uid":"d1","controller":true}],)",
        R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
        {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}},)");
    // Two pods of the DaemonSet would leave no room for the other pod.
    const CommandResult ran =
        capstan("simulate --cluster - -o json",
                dump_with_one_node(daemon_set + "," + its_pod + "," + pending_pod("web", "500m")));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value summary = json::parse(ran.out).at("summary");
    EXPECT_EQ(summary.at("nodes").at("peak"), 1) << ran.out;
    EXPECT_EQ(summary.at("pods").at("bound"), 2) << ran.out;
}

TEST_F(ClusterDump, IgnoresPodsThatHaveEndedOrExceededTheirGracePeriod) {
    const auto big_pod = [](const std::string& metadata, const std::string& phase) {
        return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"old",)" +
               metadata + R"("creationTimestamp":"2026-01-01T01:00:00Z"},"spec":{"nodeName":"n1",
               "containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":")" +
               phase + R"("}})";
    };
    const std::string deleted = R"("deletionTimestamp":"2026-01-01T01:00:30Z",)";
    struct Case {
        std::string metadata;
        const char* phase;
        int nodes;
    };
    for (const Case& c : {Case{"", "Running", 2}, Case{"", "Succeeded", 1}, Case{"", "Failed", 1},
                          Case{deleted, "Running", 1}}) {
        const CommandResult ran = capstan(
            "simulate --cluster - -o json",
            dump_with_one_node(big_pod(c.metadata, c.phase) + "," + pending_pod("web", "1")));
        ASSERT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(json::parse(ran.out).at("summary").at("nodes").at("peak"), c.nodes)
            << c.metadata << c.phase << ran.out;
    }
}

TEST_F(ClusterDump, StartsBeforeTerminatingPodsHaveEnded) {
    const std::string ending =
        R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"old",
        "creationTimestamp":"2026-01-01T01:00:00Z","deletionTimestamp":"2026-01-01T09:00:00Z"},
        "spec":{"nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"1"}}}]},
        "status":{"phase":"Running"}})";
    const std::string text = dump_with_one_node(ending + "," + pending_pod("web", "1"));
    EXPECT_THAT(capstan("explain pod shop/web --cluster -", text).out,
                HasSubstr("0 fit on existing nodes"));
    const CommandResult ran = capstan("simulate --cluster - -o json --until 1h", text);
    EXPECT_EQ(json::parse(ran.out).at("summary").at("nodes").at("peak"), 2) << ran.err << ran.out;
}

TEST_F(ClusterDump, MayBeSeveralListsButNotYaml) {
    const std::string nodes = only_of_kind("Node"), pods = only_of_kind("Pod");
    EXPECT_EQ(capstan("simulate --cluster - -o json", nodes + "\n" + pods).out,
              capstan("simulate --cluster - -o json", pods + nodes).out);
    const CommandResult yaml =
        capstan("simulate --cluster -", "apiVersion: v1\nitems: []\nkind: List\n");
    EXPECT_EQ(yaml.code, 2);
    EXPECT_THAT(yaml.err, HasSubstr("is YAML; expects JSON, as from kubectl get ... -o json"));
}

TEST(ExplainScenario, CountsUnneededTimeAcrossSkippedPasses) {
    const Folder folder;
    const std::string scenario = folder.write("cool.toml", R"(
[[group]]
id = "g"
size = 2
machine = { cpu = "4", memory = "16Gi" }
[scale_down]
delay_after_add = "0s"
unneeded_time = "1h"
[[step]]
advance = "20m"
)");
    const CommandResult end = capstan("explain node g-2 --scenario " + scenario);
    EXPECT_THAT(end.out, HasSubstr("for 20m")) << end.err << end.out;
    EXPECT_THAT(end.out, HasSubstr("machine    simulated://g/2: running"))
        << "as the cloud reports it";
    const CommandResult earlier = capstan("explain node g-2 --at 5m --scenario " + scenario);
    EXPECT_THAT(earlier.out, HasSubstr("for 5m")) << earlier.err << earlier.out;
}

TEST_F(ClusterDump, IsReadFromStandardInput) {
    const CommandResult ran = capstan("simulate --cluster - -o json", dump());
    EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(ClusterDump, ExplainsAPodThatFitsInNoGroup) {
    const CommandResult ran = capstan("explain pod shop/huge --cluster " + dump_);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("1 unschedulable"), HasSubstr("web-a"),
                               HasSubstr("Insufficient cpu: needs 32, 4 of 4 are free")));
}

TEST_F(ClusterDump, ExplainsAPodThatIsPlannedOrBound) {
    EXPECT_THAT(capstan("explain pod shop/web-1 --cluster " + dump_).out,
                HasSubstr("2 planned on new nodes (2 on web-a)"));
    EXPECT_THAT(capstan("explain pod shop/running --cluster " + dump_).out,
                HasSubstr("bound to node n1"));
    const CommandResult nobody = capstan("explain pod shop/nobody --cluster " + dump_);
    EXPECT_EQ(nobody.code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("no pod shop/nobody in this cluster"));
}

TEST_F(ClusterDump, ExplainsAGroupAndTheMatrix) {
    const CommandResult group = capstan("explain group web-a -o json --cluster " + dump_);
    ASSERT_EQ(group.code, 0) << group.err;
    const json::value answer = json::parse(group.out);
    EXPECT_EQ(answer.at("can_grow"), true);
    EXPECT_EQ(answer.at("increase"), 1);
    EXPECT_EQ(answer.at("pods").as_array().size(), 2u);

    const CommandResult matrix = capstan("explain matrix -o json --cluster " + dump_);
    ASSERT_EQ(matrix.code, 0) << matrix.err;
    const json::value all = json::parse(matrix.out);
    EXPECT_EQ(all.at("groups").as_array().size(), 1u);
    EXPECT_EQ(all.at("pods").at(0).at("cells").as_array().size(), 1u);
    EXPECT_EQ(capstan("explain group nobody --cluster " + dump_).code, 1);
}

TEST_F(ClusterDump, ExplainsWhyANodeIsKept) {
    const std::string command = "explain node n1 -o json --cluster " + dump_;
    const CommandResult used = capstan(command);
    ASSERT_EQ(used.code, 0) << used.err;
    EXPECT_EQ(json::parse(used.out).at("reason"), "NotUnderutilized");
    EXPECT_THAT(used.out, HasSubstr("cpu utilization is 75%"));

    const CommandResult blocked = capstan(command + " --set scale_down.utilization_threshold=1");
    EXPECT_EQ(json::parse(blocked.out).at("reason"), "BlockedByPod") << blocked.out;
    EXPECT_EQ(json::parse(blocked.out).at("pod"), "shop/running") << blocked.out;
    EXPECT_EQ(capstan("explain node nobody --cluster " + dump_).code, 1);
}

TEST_F(ClusterDump, ReportsWhereItIsInvalid) {
    const CommandResult cut =
        capstan("simulate --cluster -", R"({"kind":"List","items":[{"kind":"Pod")");
    EXPECT_EQ(cut.code, 2);
    EXPECT_THAT(cut.err, HasSubstr("line 1"));
    const CommandResult empty = capstan("simulate --cluster -", R"({"kind":"List","items":[]})");
    EXPECT_EQ(empty.code, 2);
    EXPECT_THAT(empty.err, HasSubstr("has neither nodes nor pods"));
    for (const auto& [kind, absent] : {std::pair{"Node", "pods"}, std::pair{"Pod", "nodes"}}) {
        const CommandResult half = capstan("simulate --cluster -", only_of_kind(kind));
        EXPECT_EQ(half.code, 2);
        EXPECT_THAT(half.err,
                    AllOf(HasSubstr("has no " + std::string(absent) + "; to dump all kinds")));
    }
    EXPECT_EQ(capstan("simulate --cluster /nowhere.json").code, 2);
}

TEST_F(ClusterDump, SkipsAndNamesAMalformedObject) {
    std::string broken = dump();
    broken.replace(broken.find(R"("32")"), 4, R"("zwei")");
    const CommandResult ran = capstan("simulate --cluster - -o json", broken);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("Pod shop/huge"), HasSubstr("requests/cpu")));
}

TEST_F(ClusterDump, IsTheOnlyInput) {
    EXPECT_EQ(capstan("simulate").code, 2);
    EXPECT_EQ(capstan("simulate x.toml --cluster " + dump_).code, 2);
}

TEST(TraceInput, MayBeCompressed) {
    const Folder folder;
    const std::string pods =
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time,"
        "scheduled_time\na,3000,1,0,0,,0,600,0\n";
    folder.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn,4000,16384,0,\n");
    const std::string plain = folder.write("pods.csv", pods);
    ASSERT_EQ(std::system(("gzip '" + plain + "'").c_str()), 0);
    const CommandResult ran = capstan("simulate -o json --trace " + folder.path().string());
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(json::parse(ran.out).at("summary").at("pods").at("ended"), 1);
}

TEST(TraceInput, RunsPodsForTheirDurationAndReportsABadRow) {
    const Folder folder;
    const std::string header =
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
        "deletion_time,scheduled_time\n";
    folder.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn,4000,16384,0,\n");
    folder.write("pods.csv", header +
                                 "a,3000,1,0,0,,LS,Running,0,600,0\n"
                                 "b,3000,1,0,0,,LS,Running,60,660,60\n"
                                 "c,3000,1,0,0,,LS,Running,86400,87000,86400\n");
    const CommandResult ran = capstan("simulate -o json --trace " + folder.path().string());
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value report = json::parse(ran.out);
    EXPECT_EQ(report.at("summary").at("nodes").at("peak"), 2);
    EXPECT_EQ(report.at("summary").at("nodes").at("end"), 0);  // they are unneeded
    EXPECT_EQ(report.at("summary").at("pods").at("ended"), 3);

    folder.write("pods.csv", header + "a,x,1,0,0,,LS,Running,0,600,0\n");
    const CommandResult bad = capstan("simulate --trace " + folder.path().string());
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("pods.csv:2: cpu_milli: expects a whole number"));
}

}  // namespace
}  // namespace capstan::commands
