// `capstan dump` of an API server on loopback.
#include <gmock/gmock.h>

#include <functional>

#include <boost/json.hpp>

#include "served_cluster.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Put = std::function<void(const char* kind, const char* space, const std::string& text)>;

Put putter_of(simulator::api_server::ObjectStore& store) {
    return [&store](const char* kind, const char* space, const std::string& text) {
        const auto made =
            store.create(store.kind(kind), space, boost::json::parse(text).as_object(),
                         {.part = simulator::api_server::ObjectPart::everything});
        ASSERT_TRUE(made) << made.error();
    };
}

/// One node, and a pod on it with a secret in its environment.
void fill_small_cluster(simulator::api_server::ObjectStore& store) {
    const Put put = putter_of(store);
    put("nodes", "", R"({"metadata":{"name":"n1"},"status":{
        "allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
        "conditions":[{"type":"Ready","status":"True"}]}})");
    put("pods", "default", R"({"metadata":{"name":"web"},"spec":{"nodeName":"n1","containers":[
        {"name":"c","env":[{"name":"PASSWORD","value":"hush"}],
        "resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running"}})");
}

CommandResult take_dump(const ServedCluster& cluster, const std::string& arguments) {
    const Folder folder;
    return capstan("dump --kubeconfig '" + folder.write("kubeconfig", cluster.kubeconfig()) + "' " +
                   arguments);
}

std::string node_of_acme(int number, const std::string& zone, bool is_dedicated) {
    const std::string name = "ip-10-0-1-" + std::to_string(number);
    return R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/hostname":")" + name +
           R"(","topology.kubernetes.io/zone":"frankfurt-)" + zone +
           R"(","eks.amazonaws.com/nodegroup":")" + (is_dedicated ? "ledger" : "shopfront") +
           R"(","node.kubernetes.io/instance-type":"m5.xlarge","acme.com/team":")" +
           (is_dedicated ? "payments" : "storefront") + R"("}},"spec":{"providerID":"aws:///i-00)" +
           std::to_string(number) + "\"" +
           (is_dedicated
                ? R"(,"taints":[{"key":"acme.com/team","value":"payments","effect":"NoSchedule"}])"
                : "") +
           R"(},"status":{"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
           "capacity":{"cpu":"4","memory":"16Gi","pods":"110"},
           "conditions":[{"type":"Ready","status":"True"}]}})";
}

/// A pod of the ReplicaSet "checkout-7f9c"; pending if `node` is empty.
std::string pod_of_acme(const std::string& name, const std::string& node, const std::string& cpu,
                        const std::string& more) {
    const bool is_pending = node.empty();
    return R"({"metadata":{"name":")" + name + R"(","labels":{"acme.com/app":"checkout"},
        "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"env\":\"hush\"}",
          "acme.com/wait":"90s"},
        "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"checkout-7f9c",
          "uid":"0000-1111","controller":true}]},"spec":{)" +
           (is_pending ? "" : R"("nodeName":")" + node + "\",") + more +
           R"("containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]},
        "status":{"phase":")" +
           (is_pending ? "Pending" : "Running") + R"(","conditions":[{"type":")" +
           (is_pending ? "PodScheduled" : "Ready") + R"(","status":")" +
           (is_pending ? "False" : "True") + R"(","reason":")" +
           (is_pending ? "Unschedulable" : "") + R"("}]}})";
}

/// Two pools, one of them dedicated; pods with a budget, a node selector, a toleration or
/// anti-affinity, and pending pods; one unneeded node.
void fill_cluster_of_acme(simulator::api_server::ObjectStore& store) {
    const Put put = putter_of(store);
    for (int n = 1; n <= 4; ++n) put("nodes", "", node_of_acme(n, n % 2 == 0 ? "a" : "b", n == 4));
    put("namespaces", "", R"({"metadata":{"name":"tills"}})");
    put("replicasets.apps", "tills",
        R"({"metadata":{"name":"checkout-7f9c","uid":"0000-1111"},"spec":{"replicas":8,
        "selector":{"matchLabels":{"acme.com/app":"checkout"}}}})");
    put("poddisruptionbudgets.policy", "tills",
        R"({"metadata":{"name":"guard-checkout"},"spec":{"maxUnavailable":1,
        "selector":{"matchLabels":{"acme.com/app":"checkout"}}}})");
    put("pods", "tills", pod_of_acme("checkout-1", "ip-10-0-1-1", "3500m", ""));
    put("pods", "tills", pod_of_acme("checkout-2", "ip-10-0-1-2", "200m", ""));
    put("pods", "tills", pod_of_acme("checkout-3", "ip-10-0-1-3", "200m", ""));
    const std::string dedicated = R"("nodeSelector":{"acme.com/team":"payments"},)";
    const std::string tolerant =
        dedicated + R"("tolerations":[{"key":"acme.com/team","operator":"Exists"}],)";
    put("pods", "tills", pod_of_acme("checkout-4", "", "3", tolerant));
    put("pods", "tills", pod_of_acme("checkout-5", "", "3", tolerant));
    put("pods", "tills", pod_of_acme("checkout-6", "", "3", dedicated));
    const std::string apart =
        R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"topology.kubernetes.io/zone","labelSelector":{"matchLabels":
        {"acme.com/app":"checkout"}}}]}},)";
    put("pods", "tills", pod_of_acme("checkout-7", "", "1", apart));
    put("pods", "tills", pod_of_acme("checkout-8", "", "64", ""));
    put("statefulsets.apps", "tills",
        R"({"metadata":{"name":"journal","uid":"0000-2222"},"spec":{"replicas":3,
        "selector":{"matchLabels":{"acme.com/app":"journal"}}}})");
    for (int i = 0; i < 3; ++i) {
        std::string pod =
            pod_of_acme("journal-" + std::to_string(i), i < 2 ? "ip-10-0-1-2" : "", "300m", "");
        boost::json::value parsed = boost::json::parse(pod);
        boost::json::value& owner = parsed.at("metadata").at("ownerReferences").at(0);
        owner.as_object()["kind"] = "StatefulSet";
        owner.as_object()["name"] = "journal";
        owner.as_object()["uid"] = "0000-2222";
        parsed.at("metadata").at("labels").as_object()["acme.com/app"] = "journal";
        put("pods", "tills", boost::json::serialize(parsed));
    }
}

/// The result of a simulation without names and without times that depend on when the dump was
/// written.
boost::json::value figures_of(const std::string& file) {
    const CommandResult ran = capstan("simulate -o json --cluster '" + file + "'");
    EXPECT_EQ(ran.code, 0) << ran.err;
    boost::json::value report = boost::json::parse(ran.out);
    boost::json::array events, waiting, hours;
    for (const auto& event : report.at("events").as_array())
        events.push_back({event.at("at_ms"), event.at("kind"), event.at("count")});
    boost::json::object summary = report.at("summary").as_object();
    for (const auto& pods : summary.at("still_pending").as_array())
        waiting.push_back(pods.at("count"));
    for (const auto& group : summary.at("node_hours_of").as_object())
        hours.push_back(group.value());
    summary.erase("pending_ms");
    summary["still_pending"] = std::move(waiting);
    summary["node_hours_of"] = std::move(hours);
    return {std::move(events), std::move(summary)};
}

TEST(DumpCommand, WritesWhatSimulateNeedsWithoutSecrets) {
    const ServedCluster cluster(std::nullopt, fill_small_cluster);
    const Folder folder;
    const std::string file = (folder.path() / "dump.json").string();
    const CommandResult ran = take_dump(cluster, "'" + file + "'");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("nodes: 1 object\n"), HasSubstr("pods: 1 object\n"),
                               HasSubstr("poddisruptionbudgets: 0 objects\n")));
    EXPECT_THAT(folder.read("dump.json"), Not(HasSubstr("hush")));
    const CommandResult simulated = capstan("simulate --cluster '" + file + "'");
    EXPECT_EQ(simulated.code, 0) << simulated.err;
    EXPECT_THAT(simulated.err, Not(HasSubstr("in this dump"))) << "every kind was requested";
    EXPECT_THAT(capstan("explain pod default/web --cluster '" + file + "'").out,
                HasSubstr("bound to node n1"));
}

/// The ConfigMaps of an autoscaler among others, and a Balancer.
void fill_with_config_maps(simulator::api_server::ObjectStore& store) {
    fill_small_cluster(store);
    const Put put = putter_of(store);
    put("configmaps", "kube-system", R"({"metadata":{"name":"cluster-autoscaler-status"},
        "data":{"status":"nodeGroups: []","password":"hush"}})");
    put("configmaps", "kube-system", R"({"metadata":{"name":"cluster-autoscaler-priority-expander"},
        "data":{"priorities":"10: [.*]"}})");
    put("configmaps", "default", R"({"metadata":{"name":"web"},"data":{"status":"hush"}})");
    put("secrets", "default", R"({"metadata":{"name":"web"},"data":{"status":"aHVzaA=="}})");
}

TEST(DumpCommand, WritesTheConfigMapsOfAnAutoscalerAlone) {
    const ServedCluster cluster(std::nullopt, fill_with_config_maps);
    const CommandResult ran = take_dump(cluster, "-");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("nodeGroups: []"), HasSubstr("10: [.*]"),
                               Not(HasSubstr("hush")), Not(HasSubstr("aHVzaA"))));
    EXPECT_THAT(ran.err, AllOf(HasSubstr("configmaps cluster-autoscaler-status: 1 object\n"),
                               Not(HasSubstr("balancers"))))
        << "no Balancer is defined";
    const CommandResult anonymous = take_dump(cluster, "- --anonymous");
    EXPECT_THAT(anonymous.out, Not(HasSubstr("nodeGroups")));
    EXPECT_THAT(anonymous.err, Not(HasSubstr("configmaps")));
}

TEST(DumpCommand, WritesBalancers) {
    const ServedCluster cluster(std::nullopt, fill_small_cluster);
    const Folder folder;
    const std::string kubeconfig = folder.write("kubeconfig", cluster.kubeconfig());
    ASSERT_EQ(capstan("crd install --kubeconfig '" + kubeconfig + "'").code, 0);
    const CommandResult ran = take_dump(cluster, "-");
    EXPECT_THAT(ran.err, HasSubstr("balancers: 0 objects\n"));
}

TEST(DumpCommand, ReportsAForbiddenKindAndSoDoesSimulate) {
    const ServedCluster cluster(
        simulator::api_server::ApiFault{.resource = "poddisruptionbudgets.policy", .status = 403},
        fill_small_cluster);
    const Folder folder;
    const std::string file = (folder.path() / "dump.json").string();
    const CommandResult ran = take_dump(cluster, "'" + file + "'");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("poddisruptionbudgets: not taken: "));
    EXPECT_THAT(capstan("simulate --cluster '" + file + "'").err, HasSubstr("the dump has no pdb"));
}

TEST(DumpCommand, FailsWithoutNodesOrPods) {
    const ServedCluster cluster(simulator::api_server::ApiFault{.resource = "pods", .status = 403},
                                fill_small_cluster);
    const Folder folder;
    EXPECT_EQ(take_dump(cluster, "'" + (folder.path() / "dump.json").string() + "'").code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "dump.json"));
}

TEST(DumpCommand, CompressesByFileNameOrOption) {
    const ServedCluster cluster(std::nullopt, fill_small_cluster);
    const Folder folder;
    const auto explain = [](const std::string& file, const std::string& input = {}) {
        return capstan("explain pod default/web --cluster '" + file + "'", input).out;
    };
    const std::string packed = (folder.path() / "dump.json.gz").string();
    ASSERT_EQ(take_dump(cluster, "'" + packed + "'").code, 0);
    EXPECT_TRUE(folder.read("dump.json.gz").starts_with("\x1f\x8b"));
    EXPECT_THAT(explain(packed), HasSubstr("bound to node n1"));
    EXPECT_THAT(explain("-", folder.read("dump.json.gz")), HasSubstr("bound to node n1"));

    EXPECT_TRUE(take_dump(cluster, "-").out.starts_with("{"));
    EXPECT_TRUE(take_dump(cluster, "- --gzip").out.starts_with("\x1f\x8b"));

    const std::string cut = folder.write("cut.json.gz", folder.read("dump.json.gz").substr(0, 100));
    const CommandResult refused = capstan("simulate --cluster '" + cut + "'");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("cut.json.gz: the gzip data is truncated, after byte "));
}

TEST(DumpCommand, DecidesTheSameOnAnAnonymousDump) {
    const ServedCluster cluster(std::nullopt, fill_cluster_of_acme);
    const Folder folder;
    const std::string plain = (folder.path() / "plain.json").string();
    const std::string anonymous = (folder.path() / "anonymous.json").string();
    ASSERT_EQ(take_dump(cluster, "'" + plain + "'").code, 0);
    ASSERT_EQ(take_dump(cluster, "--anonymous '" + anonymous + "'").code, 0);

    const std::string text = folder.read("anonymous.json");
    for (const char* name :
         {"ip-10", "frankfurt", "ledger", "shopfront", "acme", "payments", "storefront",
          "aws:", "i-00", "tills", "checkout", "guard", "journal", "0000-1111", "hush"}) {
        if (std::string_view(name) != "hush") {
            EXPECT_THAT(folder.read("plain.json"), HasSubstr(name));
        }
        EXPECT_THAT(text, Not(HasSubstr(name)));
    }
    EXPECT_THAT(text, AllOf(HasSubstr("m5.xlarge"), HasSubstr(R"("90s")")));
    EXPECT_THAT(folder.read("plain.json"), Not(HasSubstr("hush")))
        << "annotations may hold secrets";

    const boost::json::value figures = figures_of(plain);
    EXPECT_EQ(figures_of(anonymous), figures);
    EXPECT_THAT(boost::json::serialize(figures),
                AllOf(HasSubstr("increase"), HasSubstr("unschedulable")));
}

}  // namespace
}  // namespace capstan::commands
