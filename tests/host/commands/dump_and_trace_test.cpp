// `capstan simulate` and `capstan explain` on a cluster's dump and on a trace, as an operator runs
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A cluster of one full node, pool "web", with pods that wait: two that need another node, and one
/// that no node can take.
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

class DumpCommands : public ::testing::Test {
protected:
    Folder folder_;
    std::string dump_ = folder_.write("dump.json", dump());
};

TEST_F(DumpCommands, ShowWhatWouldHappenToAClusterNow) {
    const Ran ran = capstan("simulate --cluster " + dump_ + " -o json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value report = json::parse(ran.out);
    const json::object& summary = report.at("summary").as_object();
    EXPECT_EQ(summary.at("nodes").at("end"), 2);
    ASSERT_EQ(summary.at("still_pending").as_array().size(), 1u);
    EXPECT_EQ(summary.at("still_pending").at(0).at("pods"), "huge");
    EXPECT_THAT(ran.err, HasSubstr("guesses 1 node group from 1 node"));
}

TEST_F(DumpCommands, ReadADumpFromStandardInput) {
    const Ran ran = capstan("simulate --cluster - -o json", dump());
    EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(DumpCommands, ExplainAPodThatNoGroupCanTake) {
    const Ran ran = capstan("explain pod shop/huge --cluster " + dump_);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("1 stay without room"), HasSubstr("web-a"),
                               HasSubstr("Insufficient cpu: needs 32, 4 of 4 are free")));
}

TEST_F(DumpCommands, ExplainAPodThatGetsRoomOrHasIt) {
    EXPECT_THAT(capstan("explain pod shop/web-1 --cluster " + dump_).out,
                HasSubstr("2 get room on new ones (2 on web-a)"));
    EXPECT_THAT(capstan("explain pod shop/running --cluster " + dump_).out,
                HasSubstr("has a node: n1"));
    const Ran nobody = capstan("explain pod shop/nobody --cluster " + dump_);
    EXPECT_EQ(nobody.code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("no pass saw a pod shop/nobody"));
}

TEST_F(DumpCommands, ExplainAGroupAndTheWholeMatrix) {
    const Ran group = capstan("explain group web-a -o json --cluster " + dump_);
    ASSERT_EQ(group.code, 0) << group.err;
    const json::value answer = json::parse(group.out);
    EXPECT_EQ(answer.at("can_grow"), true);
    EXPECT_EQ(answer.at("increase"), 1);
    EXPECT_EQ(answer.at("pods").as_array().size(), 2u);

    const Ran matrix = capstan("explain matrix -o json --cluster " + dump_);
    ASSERT_EQ(matrix.code, 0) << matrix.err;
    const json::value all = json::parse(matrix.out);
    EXPECT_EQ(all.at("groups").as_array().size(), 1u);
    EXPECT_EQ(all.at("pods").at(0).at("cells").as_array().size(), 1u);
    EXPECT_EQ(capstan("explain group nobody --cluster " + dump_).code, 1);
}

TEST_F(DumpCommands, ExplainWhyANodeStays) {
    const std::string command = "explain node n1 -o json --cluster " + dump_;
    const Ran used = capstan(command);
    ASSERT_EQ(used.code, 0) << used.err;
    EXPECT_EQ(json::parse(used.out).at("reason"), "NotUnderutilized");
    EXPECT_THAT(used.out, HasSubstr("cpu is used to 75%"));

    const Ran blocked = capstan(command + " --set scale_down.utilization_threshold=1");
    EXPECT_EQ(json::parse(blocked.out).at("reason"), "BlockedByPod") << blocked.out;
    EXPECT_EQ(json::parse(blocked.out).at("pod"), "shop/running") << blocked.out;
    EXPECT_EQ(capstan("explain node nobody --cluster " + dump_).code, 1);
}

TEST_F(DumpCommands, SayWhereADumpIsBroken) {
    const Ran cut = capstan("simulate --cluster -", R"({"kind":"List","items":[{"kind":"Pod")");
    EXPECT_EQ(cut.code, 2);
    EXPECT_THAT(cut.err, HasSubstr("line 1"));
    const Ran empty = capstan("simulate --cluster -", R"({"kind":"List","items":[]})");
    EXPECT_EQ(empty.code, 2);
    EXPECT_THAT(empty.err, HasSubstr("has neither nodes nor pods"));
    EXPECT_EQ(capstan("simulate --cluster /nowhere.json").code, 2);
}

TEST_F(DumpCommands, LeaveOutTheObjectThatIsMalformedAndNameIt) {
    std::string broken = dump();
    broken.replace(broken.find(R"("32")"), 4, R"("zwei")");
    const Ran ran = capstan("simulate --cluster - -o json", broken);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("Pod shop/huge"), HasSubstr("requests/cpu")));
}

TEST_F(DumpCommands, WantExactlyOneInput) {
    EXPECT_EQ(capstan("simulate").code, 2);
    EXPECT_EQ(capstan("simulate x.toml --cluster " + dump_).code, 2);
}

TEST(TraceCommand, RunsPodsForAsLongAsTheyDidAndNamesABadRow) {
    const Folder folder;
    const std::string header =
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
        "deletion_time,scheduled_time\n";
    folder.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn,4000,16384,0,\n");
    folder.write("pods.csv", header +
                                 "a,3000,1,0,0,,LS,Running,0,600,0\n"
                                 "b,3000,1,0,0,,LS,Running,60,660,60\n"
                                 "c,3000,1,0,0,,LS,Running,86400,87000,86400\n");
    const Ran ran = capstan("simulate -o json --trace " + folder.path().string());
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value report = json::parse(ran.out);
    EXPECT_EQ(report.at("summary").at("nodes").at("peak"), 2);
    EXPECT_EQ(report.at("summary").at("nodes").at("end"), 0);  // nobody needs them any more
    EXPECT_EQ(report.at("summary").at("pods").at("ended"), 3);

    folder.write("pods.csv", header + "a,x,1,0,0,,LS,Running,0,600,0\n");
    const Ran bad = capstan("simulate --trace " + folder.path().string());
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("pods.csv:2: cpu_milli: expects a whole number"));
}

}  // namespace
}  // namespace capstan::commands
