// Names that `capstan explain` accepts, as kubectl does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dump_objects.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// `owner`: "ReplicaSet/web-5fz554shxg"; pending if `node` is empty.
std::string owned_pod(const std::string& ns, const std::string& name, const std::string& owner,
                      const std::string& node) {
    const std::size_t slash = owner.find('/');
    const std::string kind = owner.substr(0, slash);
    const std::string group = kind == "Job" ? "batch/v1" : "apps/v1";
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":")" + ns + R"(","name":")" +
           name + R"(","creationTimestamp":"2026-01-01T01:00:00Z","ownerReferences":[{"kind":")" +
           kind + R"(","apiVersion":")" + group + R"(","controller":true,"name":")" +
           owner.substr(slash + 1) + R"(","uid":"u-)" + owner + R"("}]},"spec":{"nodeName":")" +
           node + R"(","containers":[{"name":"c","resources":{"requests":{"cpu":"3"}}}]},)" +
           (node.empty() ? R"("status":{"phase":"Pending"}})" : R"("status":{"phase":"Running"}})");
}

/// Two Deployments, of which `web` has two ReplicaSets, as during a rollout, a StatefulSet and a
/// Job.
class ExplainNamesTest : public testing::Test {
protected:
    CommandResult explain(const std::string& line) const {
        return capstan("explain " + line + " -f '" + file_ + "'");
    }

    Folder folder_;
    std::string file_ = folder_.write(
        "dump.json",
        R"({"kind":"List","apiVersion":"v1","items":[)" + ready_node("ip-10-0-1-17.ec2.internal") +
            "," + ready_node("ip-10-0-1-170.ec2.internal") + "," +
            owned_pod("shop", "web-5fz554shxg-a1111", "ReplicaSet/web-5fz554shxg",
                      "ip-10-0-1-17.ec2.internal") +
            "," + owned_pod("shop", "web-5fz554shxg-b2222", "ReplicaSet/web-5fz554shxg", "") + "," +
            owned_pod("shop", "web-5fz554shxg-c3333", "ReplicaSet/web-5fz554shxg", "") + "," +
            owned_pod("shop", "web-7d9f8c6b5d-d4444", "ReplicaSet/web-7d9f8c6b5d", "") + "," +
            owned_pod("shop", "web-api-6c5d4-e5555", "ReplicaSet/web-api-6c5d4",
                      "ip-10-0-1-170.ec2.internal") +
            "," + owned_pod("shop", "db-0", "StatefulSet/db", "") + "," +
            owned_pod("night", "report-x7k2p", "Job/report", "") + "]}");
};

TEST_F(ExplainNamesTest, AcceptsKindAndNameAsKubectlDoes) {
    const std::string one = explain("pod shop/db-0").out;
    EXPECT_THAT(one, HasSubstr("shop/db-0"));
    for (const char* line :
         {"pod db-0 -n shop", "pod/db-0 -n shop", "-n shop pod/db-0", "po/db-0 --namespace shop",
          "pods db-0 --namespace=shop", "pod/shop/db-0", "pod shop/db-0 -n shop"}) {
        const CommandResult ran = explain(line);
        EXPECT_EQ(ran.code, 0) << line << ": " << ran.err;
        EXPECT_EQ(ran.out, one) << line;
    }
}

TEST_F(ExplainNamesTest, AcceptsAnUnambiguousPrefix) {
    EXPECT_THAT(explain("pod web-7d -n shop").out, HasSubstr("shop/web-7d9f8c6b5d-d4444"));
    EXPECT_THAT(explain("node ip-10-0-1-17").out, HasSubstr("ip-10-0-1-17.ec2.internal"));
    EXPECT_THAT(explain("node ip-10-0-1-170").out, HasSubstr("ip-10-0-1-170.ec2.internal"));
    EXPECT_THAT(explain("group we").out, HasSubstr("can grow"));
}

TEST_F(ExplainNamesTest, SuggestsNamesIfNothingMatches) {
    const struct {
        const char* line;
        const char* message;
    } cases[] = {
        {"pod web-5 -n shop",
         "several match: web-5fz554shxg-a1111, web-5fz554shxg-b2222, web-5fz554shxg-c3333"},
        {"pod db-0", "no pod default/db-0 in this cluster; did you mean shop/db-0"},
        {"pod report", "no pod default/report in this cluster; did you mean night/report-x7k2p"},
        {"pod dv-0 -n shop", "did you mean 'shop/db-0'?"},
        {"node ip-10", "several match: ip-10-0-1-17.ec2.internal, ip-10-0-1-170.ec2.internal"},
        {"node worker", "no node \"worker\" in this cluster; known: ip-10-0-1-17.ec2.internal"},
        {"group webb", "node group \"webb\" not found; did you mean 'web'?"},
        {"group gpu-eu-central-1", "node group \"gpu-eu-central-1\" not found; known: web"},
        {"deployment wev -n shop", "did you mean 'web'?"},
        {"job report", "no Job report in namespace default; known: none"},
    };
    for (const auto& each : cases) {
        const CommandResult ran = explain(each.line);
        EXPECT_EQ(ran.code, 1) << each.line;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.line;
        EXPECT_EQ(ran.out, "") << each.line;
    }
}

TEST_F(ExplainNamesTest, ExplainsOnePendingPodOfEachEquivalenceGroupOfAWorkload) {
    const CommandResult ran = explain("deployment/web -n shop");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("shop/web\n  3 of 4 pods pending\n"),
                               HasSubstr("\nshop/web-5fz554shxg-b2222\n"),
                               HasSubstr("2 pending pods like this"),
                               HasSubstr("\nshop/web-7d9f8c6b5d-d4444\n"),
                               Not(HasSubstr("web-api")), Not(HasSubstr("c3333"))));
    EXPECT_THAT(explain("sts/db -n shop").out, HasSubstr("1 of 1 pod pending"));
    EXPECT_THAT(explain("job report -n night").out, HasSubstr("\nnight/report-x7k2p\n"));
    EXPECT_THAT(explain("deploy web-api -n shop").out, HasSubstr("0 of 1 pod pending"));
    EXPECT_THAT(
        explain("rs web-7d9f8c6b5d -n shop -o json").out,
        HasSubstr(R"({"workload":"shop/web-7d9f8c6b5d","state":"1 of 1 pod pending","remedy":"",)"
                  R"("pods":[{"pod":"shop/web-7d9f8c6b5d-d4444",)"));
}

TEST_F(ExplainNamesTest, ReportsMistakesBeforeReadingTheFile) {
    const struct {
        const char* line;
        const char* message;
    } cases[] = {
        {"explain pot x -f nothing", "unknown kind 'pot'; did you mean 'pod'?"},
        {"explain web-1 -f nothing", "unknown kind 'web-1'; known: pod, group, node, "},
        {"explain pod -f nothing", "the name of the pod is missing"},
        {"explain matrix web -f nothing", "'web' was not expected"},
        {"explain pod shop/x -n other -f nothing",
         "'shop/x' is not in the namespace of --namespace, other"},
        {"explain pod shop/ -f nothing", "'shop/' is not NAMESPACE/NAME"},
    };
    for (const auto& each : cases) {
        const CommandResult ran = capstan(each.line);
        EXPECT_EQ(ran.code, 2) << each.line;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.line;
    }
}

}  // namespace
}  // namespace capstan::commands
