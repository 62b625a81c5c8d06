#include "autoscaler/daemon/checkup.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>

#include "autoscaler/record/memory_text.hpp"
#include "checkup_cluster.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using simulator::api_server::ApiFault;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string advice_to_grant = " -> add it to the role of the service account";

/// The findings about rights.
std::vector<std::string> rights_findings(std::vector<std::string> findings) {
    std::erase_if(findings, [](const std::string& line) {
        return line.find(": right to ") == std::string::npos &&
               line.find(": rights: ") == std::string::npos;
    });
    return findings;
}

/// Makes the API server return the memory of an earlier daemon that knew the groups two and web,
/// each with a node.
void save_known_groups(CheckupCluster& cluster) {
    engine::Memory memory;
    for (const char* id : {"two", "web"})
        memory.known_groups[NodeGroupId(id)] = {
            .cloud = PluginInstanceId("eu"), .nodes = 1, .sample_nodes = {std::string(id) + "-1"}};
    const boost::json::object map{
        {"kind", "ConfigMap"},
        {"metadata", boost::json::object{{"name", "capstan-memory"}}},
        {"data", boost::json::object{{"memory", *record::memory_text(memory, "1.0")}}}};
    cluster.network.change = [body = boost::json::serialize(map), before = cluster.network.change](
                                 const HttpRequest& request, HttpReply& reply) {
        before(request, reply);
        if (!request.url.ends_with("/configmaps/capstan-memory")) return;
        reply.status = 200;
        reply.body = body;
    };
}

TEST(Checkup, HasOnlyGoodFindingsForAHealthyCluster) {
    CheckupCluster cluster;
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(findings, Each(StartsWith("good: ")));
    EXPECT_THAT(findings, Each(Not(HasSubstr("->"))));
    for (const std::string& line :
         {std::string("good: credentials: found for http://api.local"),
          std::string("good: API server: Kubernetes v1.33.0+capstan"),
          std::string("good: clock: agrees with the API server"),
          "good: rights: " + std::to_string(cluster.needed()) + " rules granted",
          std::string("good: plugin eu: self-check passed"),
          std::string("good: node groups: 1 group found")})
        EXPECT_THAT(findings, Contains(line));
}

/// Makes the API server list an aws-node-termination-handler of this kind in kube-system.
void run_termination_handler(CheckupCluster& cluster, const std::string& plural) {
    cluster.network.change = [plural, before = cluster.network.change](const HttpRequest& request,
                                                                       HttpReply& reply) {
        before(request, reply);
        if (request.url.find("/apis/apps/v1/" + plural + "?fieldSelector=") == std::string::npos)
            return;
        reply.status = 200;
        reply.body = R"({"items":[{"metadata":{"namespace":"kube-system",)"
                     R"("name":"aws-node-termination-handler"}}]})";
    };
}

TEST(Checkup, NamesTheProgramThatDrainsLeavingNodes) {
    const std::string off = "[scale_down]\ndrain_leaving_nodes = false\n";
    const std::string handler = "DaemonSet kube-system/aws-node-termination-handler";
    {
        CheckupCluster cluster;
        EXPECT_THAT(cluster.findings(),
                    Contains("good: leaving nodes: Capstan taints and drains them"));
        run_termination_handler(cluster, "daemonsets");
        EXPECT_THAT(cluster.findings(),
                    Contains("warning: leaving nodes: both Capstan and " + handler +
                             " drain them -> set scale_down.drain_leaving_nodes = false, or "
                             "remove " +
                             handler));
    }
    CheckupCluster cluster(cloud_of(one_group) + off);
    EXPECT_THAT(cluster.findings(),
                Contains(StartsWith("warning: leaving nodes: scale_down.drain_leaving_nodes is "
                                    "false and aws-node-termination-handler was not found")));
    run_termination_handler(cluster, "deployments");
    EXPECT_THAT(cluster.findings(),
                Contains("good: leaving nodes: Deployment kube-system/aws-node-termination-handler "
                         "drains them"));
}

TEST(Checkup, ChangesNothing) {
    CheckupCluster cluster;
    std::vector<std::string> written;
    cluster.network.change = [&](const HttpRequest& request, HttpReply&) {
        if (request.method != "GET" && !request.url.ends_with("/selfsubjectaccessreviews"))
            written.push_back(request.method + " " + request.url);
    };
    cluster.findings();
    EXPECT_THAT(written, IsEmpty());
}

TEST(Checkup, ComparesItsClockWithTheServers) {
    const std::string agrees = "good: clock: agrees with the API server";
    const std::string off = "warning: clock: differs from the API server's by ";
    const std::string advice =
        " -> synchronize the clocks: decisions depend on the ages of pods and nodes";
    const std::string no_date =
        "warning: clock: the API server's response has no date -> compare the clock of this "
        "machine "
        "with another one";
    const std::pair<std::string, std::string> cases[] = {
        {"Sat, 21 Nov 2026 10:00:00 GMT", agrees},
        {"Sat, 21 Nov 2026 10:00:06 GMT", agrees},  // the real difference may be just above 5 s
        {"Sat, 21 Nov 2026 09:59:54 GMT", agrees},
        {"Sat, 21 Nov 2026 10:00:07 GMT", off + "6s" + advice},
        {"Sat, 21 Nov 2026 09:59:53 GMT", off + "6s" + advice},
        {"Sat, 21 Nov 2026 08:00:00 GMT", off + "1h59m59s" + advice},
        {"", no_date},
        {"yesterday", no_date},
    };
    for (const auto& [date, line] : cases) {
        CheckupCluster cluster;
        cluster.date = date;
        const std::vector<std::string> findings = cluster.findings();
        EXPECT_THAT(findings, Contains(line)) << date;
        EXPECT_THAT(findings, Each(Not(StartsWith("missing: ")))) << "the daemon would still run";
    }
}

TEST(Checkup, NamesBothCloudsOfADuplicateGroup) {
    const std::string one = "settings = { " + std::string(one_group) + " }\n";
    CheckupCluster cluster(
        "[pipeline]\nclouds = [\"eu\", \"us\"]\n[plugin.eu]\nclass = \"simulated\"\n" + one +
        "[plugin.us]\nclass = \"simulated\"\n" + one);
    EXPECT_THAT(cluster.findings(),
                AllOf(Contains(AllOf(StartsWith("missing: clouds: plugin us: group "),
                                     HasSubstr("duplicate group id: plugin eu is earlier"))),
                      Contains("good: node groups: 1 group found")));
}

TEST(Checkup, NamesMissingRightsAndTheirPurpose) {
    CheckupCluster cluster;
    cluster.refused = {"create pods/eviction",
                       "update leases.coordination.k8s.io cluster-autoscaler in kube-system"};
    EXPECT_THAT(
        rights_findings(cluster.findings()),
        ElementsAre("missing: right to create pods/eviction: not granted; needed to evict pods "
                    "from nodes before removal" +
                        advice_to_grant,
                    "missing: right to update leases.coordination.k8s.io cluster-autoscaler in "
                    "kube-system: not granted; needed to elect a leader" +
                        advice_to_grant,
                    "good: rights: " + std::to_string(cluster.needed() - 2) + " rules granted"));
}

TEST(Checkup, ReportsWhyTheServerRefuses) {
    CheckupCluster cluster;
    cluster.refused = {"list pods"};
    cluster.reason = "a webhook forbids it";
    EXPECT_THAT(cluster.findings(),
                Contains("missing: right to list pods: a webhook forbids it; needed to know which "
                         "pods are pending and which pods run on each node" +
                         advice_to_grant));
}

TEST(Checkup, AcceptsPatchOrUpdateOfNodes) {
    for (const char* verb : {"patch nodes", "update nodes"}) {
        CheckupCluster cluster;
        cluster.refused = {verb};
        EXPECT_THAT(rights_findings(cluster.findings()), ElementsAre(StartsWith("good: rights: ")))
            << verb;
    }
}

TEST(Checkup, NamesPatchIfNodesCannotBeChanged) {
    CheckupCluster cluster;
    cluster.refused = {"patch nodes", "update nodes"};
    EXPECT_THAT(rights_findings(cluster.findings()),
                ElementsAre(StartsWith("missing: right to patch nodes: not granted; needed to "
                                       "taint and cordon nodes before removal"),
                            StartsWith("good: rights: ")));
}

TEST(Checkup, RequiresBothVerbsForOtherResources) {
    CheckupCluster cluster;
    cluster.refused = {"update configmaps capstan-memory in kube-system"};
    EXPECT_THAT(cluster.findings(),
                Contains(StartsWith("missing: right to update configmaps capstan-memory in "
                                    "kube-system: not granted; needed to keep ")));
}

TEST(Checkup, ReportsARightThatCouldNotBeChecked) {
    CheckupCluster cluster;
    cluster.server.faults().add(ApiFault{
        .verb = "create",
        .resource = "selfsubjectaccessreviews.authorization.k8s.io",
        .status = 500,
    });
    const std::vector<std::string> findings = rights_findings(cluster.findings());
    EXPECT_THAT(
        findings,
        ElementsAre(
            AllOf(StartsWith("missing: right to list nodes: check permission to list nodes: "),
                  HasSubstr("500"), HasSubstr("-> fix the cause and run the check again")),
            "good: rights: " + std::to_string(cluster.needed() - 1) + " rules granted"));
}

TEST(Checkup, ReportsAFailedSelfCheck) {
    CheckupCluster cluster(cloud_of(one_group) +
                           "[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"fussy\"]\n"
                           "[plugin.fussy]\nfile = \"tiny.so\"\nclass = \"tiny_too\"\n");
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(findings,
                Contains("missing: plugin fussy: plugin fussy: self_check: needs "
                         "tiny:DescribeOptions -> check its grants, credentials and settings"));
    EXPECT_THAT(findings, Contains("good: plugin eu: self-check passed"));
}

TEST(Checkup, NamesTheCommandThatInstallsAMissingKind) {
    CheckupCluster cluster(cloud_of(one_group) +
                           "[plugin.eu.grants]\nkube = [\"balancers.balancer.x-k8s.io:list\", "
                           "\"widgets.example.com:list\", \"deployments.apps:list\"]\n");
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(findings, Contains("missing: kind balancers.balancer.x-k8s.io: not served by the "
                                   "API server; plugin eu needs it -> run `capstan crd install`"));
    EXPECT_THAT(findings,
                Contains("missing: kind widgets.example.com: not served by the API server; plugin "
                         "eu needs it -> install its CustomResourceDefinition"));
    EXPECT_THAT(findings, Each(Not(StartsWith("missing: kind deployments.apps"))));
}

TEST(Checkup, ReportsACloudThatCannotBeRead) {
    CheckupCluster cluster(cloud_of(
        "fail = { code = \"permission\", message = \"may not describe groups\" }, " + one_group));
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(findings, Contains(AllOf(StartsWith("missing: clouds: plugin eu: "),
                                         HasSubstr("may not describe groups -> check the cloud's "
                                                   "credentials, permissions and settings"))));
    EXPECT_THAT(findings, Contains("warning: node groups: 0 groups found -> check the names or "
                                   "tags by which the cloud plugin finds groups"));
}

TEST(Checkup, WarnsAboutACloudWithoutGroups) {
    CheckupCluster cluster(cloud_of("groups = []"));
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(findings, Contains(StartsWith("warning: node groups: 0 groups found -> ")));
    EXPECT_THAT(findings, Each(Not(StartsWith("missing: "))));
}

TEST(Checkup, WarnsAboutGroupsNoLongerListed) {
    CheckupCluster cluster;
    save_known_groups(cluster);
    EXPECT_THAT(cluster.findings(),
                Contains("warning: node groups: group two is no longer listed by any cloud: its 1 "
                         "node stays without a group: two-1 -> restore the group, or remove its "
                         "nodes manually"));
    EXPECT_THAT(cluster.findings(), Not(Contains(HasSubstr("group web"))));
}

TEST(Checkup, WarnsAboutUnmatchedProviderIds) {
    CheckupCluster cluster(
        cloud_of("groups = [{ id = \"web\", size = 1, "
                 "machine = { cpu = \"4\", memory = \"16Gi\" } }]"));
    std::string id;
    cluster.network.change = [&, before = cluster.network.change](const HttpRequest& request,
                                                                  HttpReply& reply) {
        before(request, reply);
        if (!request.url.ends_with("/api/v1/nodes?limit=200")) return;
        const boost::json::object node{
            {"metadata",
             boost::json::object{{"name", "n1"}, {"creationTimestamp", "2026-11-21T10:00:01Z"}}},
            {"spec", boost::json::object{{"providerID", id}}}};
        reply.body = boost::json::serialize(boost::json::object{
            {"kind", "NodeList"}, {"apiVersion", "v1"}, {"items", boost::json::array{node}}});
    };
    EXPECT_THAT(
        cluster.findings(),
        Contains("warning: nodes: group web: 1 machine has no node; node n1 (spec.providerID "
                 "matches no machine) may belong to the group -> correct the "
                 "providerIDs: check the cloud controller manager and the kubelets"));
    id = "simulated://web/1";
    EXPECT_THAT(cluster.findings(), Not(Contains(HasSubstr("providerID"))));
}

TEST(Checkup, DoesNotWarnAboutGroupsOfAnUnreadableCloud) {
    CheckupCluster cluster(
        cloud_of("fail = { code = \"permission\", message = \"no\" }, " + one_group));
    save_known_groups(cluster);
    EXPECT_THAT(cluster.findings(), Not(Contains(HasSubstr("no cloud lists"))));
}

TEST(Checkup, RequiresACloud) {
    CheckupCluster cluster("");
    EXPECT_THAT(cluster.findings(),
                Contains("missing: clouds: none configured -> add one to pipeline.clouds"));
}

TEST(Checkup, ContinuesIfTheServerIsUnreachable) {
    CheckupCluster cluster;
    cluster.wire.set_reachable(false);
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(findings,
                Contains(AllOf(
                    StartsWith("missing: API server: "), HasSubstr("connection refused"),
                    HasSubstr("-> check the address, the network and the certificate authority"))));
    EXPECT_THAT(rights_findings(findings), IsEmpty());
    EXPECT_THAT(findings, Contains("good: node groups: 1 group found"));
}

TEST(Checkup, DistinguishesRefusedCredentialsFromAnUnreachableServer) {
    CheckupCluster cluster;
    cluster.server.faults().add(ApiFault{.status = 401, .times = {}});
    EXPECT_THAT(cluster.findings(),
                Contains(AllOf(StartsWith("missing: API server: "), HasSubstr("401"),
                               HasSubstr("-> renew the credentials"))));
}

TEST(Checkup, ContinuesWithoutCredentials) {
    CheckupCluster cluster(cloud_of(one_group), "absent");
    const std::vector<std::string> findings = cluster.findings();
    EXPECT_THAT(
        findings,
        Contains(
            AllOf(StartsWith("missing: credentials: cluster: "), HasSubstr("absent"),
                  HasSubstr("-> use --kubeconfig and --context, or correct cluster.kubeconfig,"))));
    EXPECT_THAT(findings, Contains("good: plugin eu: self-check passed"));
    EXPECT_THAT(findings, Not(Contains(HasSubstr("API server"))));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
