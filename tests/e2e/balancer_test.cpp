#include <algorithm>
#include <ranges>
#include <stdexcept>

#include <boost/json.hpp>

#include "../host/commands/shell.hpp"
#include "../plugins/balancer/replicas/schema.hpp"
#include "control_plane_fixture.hpp"

namespace capstan::e2e {
namespace {

using ::testing::HasSubstr;

/// Runs `capstan` with a pipeline like that of examples/balancer.toml, without a cloud. Its account
/// has the permissions of deploy/kubernetes/balancer.yaml and no others.
struct ControlPlaneBalancer : ControlPlaneTest {
    void SetUp() override {
        ControlPlaneTest::SetUp();
        if (cluster == nullptr || IsSkipped()) return;
        const commands::CommandResult installed = install();
        ASSERT_EQ(installed.code, 0) << installed.err;
        EXPECT_THAT(installed.out, HasSubstr("balancers.balancer.x-k8s.io created"));
        cluster->kubectl({"apply", "-f", "deploy/kubernetes/balancer.yaml"});
        cluster->kubectl({"delete", "clusterrolebinding", "capstan", "capstan-simulated-cloud",
                          "--ignore-not-found"});
        cluster->kubectl(
            {"delete", "rolebinding", "-n", "kube-system", "capstan", "--ignore-not-found"});
        for (const char* zone : {"a", "b"}) cluster->apply(zone_of(zone));
    }
    commands::CommandResult install() const {
        const auto admin = cluster->capstans_kubeconfig().parent_path() / "admin.conf";
        return commands::capstan("crd install --kubeconfig '" + admin.string() + "'");
    }
    static std::string pipeline() {
        return R"([pipeline]
controllers = ["replicas"]
[plugin.replicas]
grants = { kube = ["balancers.balancer.x-k8s.io:list,watch,patch/status", "pods:list,watch",
    "deployments.apps:list,watch,get/scale,update/scale", "events:create"] }
)";
    }
    /// A node, and a Deployment whose pods fit only on this node.
    static std::string zone_of(const std::string& zone) {
        const std::string capacity = "{cpu: \"64\", memory: 256Gi, pods: \"200\"}";
        return "apiVersion: v1\nkind: Node\nmetadata: {name: node-" + zone +
               ", labels: {zone: " + zone +
               "}, annotations: {kwok.x-k8s.io/node: fake}}\nstatus: {capacity: " + capacity +
               ", allocatable: " + capacity +
               "}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-" + zone +
               "}\nspec:\n  replicas: 0\n  selector: {matchLabels: {app: web, zone: " + zone +
               "}}\n  template:\n    metadata: {labels: {app: web, zone: " + zone +
               "}}\n    spec:\n      nodeSelector: {zone: " + zone +
               "}\n      containers: [{name: web, image: web, resources: {requests: {cpu: "
               "100m}}}]\n";
    }
    static std::string balancer(int replicas) {
        return "apiVersion: balancer.x-k8s.io/v1alpha1\nkind: Balancer\nmetadata: {name: "
               "web}\nspec:\n  replicas: " +
               std::to_string(replicas) + R"(
  selector: {matchLabels: {app: web}}
  targets:
  - {name: a, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web-a}}
  - {name: b, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web-b}}
  policy:
    policyName: proportional
    proportions: {targetProportions: {a: 50, b: 50}}
    fallback: {startupTimeout: 15s}
)";
    }
    /// Ready pods of both Deployments: "5 5".
    std::string ready() const {
        return cluster->kubectl(
            {"get", "deployment", "web-a", "web-b", "-o",
             "jsonpath={.items[0].status.readyReplicas} {.items[1].status.readyReplicas}"});
    }
};

TEST_F(ControlPlaneBalancer, KeepsTheRatioAndSupportsScaleAndPrinterColumns) {
    const Daemon daemon(*cluster, "ratio", pipeline());
    cluster->apply(balancer(10));
    ASSERT_TRUE(becomes(60s, [&] { return ready() == "5 5"; })) << ready();
    cluster->kubectl({"scale", "balancer", "web", "--replicas=6"});
    ASSERT_TRUE(becomes(60s, [&] { return ready() == "3 3"; })) << ready();
    const auto shown = [&] { return cluster->kubectl({"get", "balancers"}); };
    EXPECT_TRUE(becomes(30s, [&] {
        return ::testing::Matches(::testing::ContainsRegex("web +6 +6 +proportional +True +0"))(
            shown());
    })) << shown();
    EXPECT_THAT(shown(), ::testing::StartsWith(
                             "NAME   DESIRED   OBSERVED   POLICY         BALANCING   FALLBACK"));
}

TEST_F(ControlPlaneBalancer, FallsBackIfPodsOfATargetCannotBeScheduled) {
    const Daemon daemon(*cluster, "fallback", pipeline());
    cluster->kubectl({"cordon", "node-a"});
    cluster->apply(balancer(10));
    ASSERT_TRUE(becomes(90s, [&] { return ready() == " 10"; })) << ready();
    EXPECT_THAT(cluster->kubectl({"get", "events", "--field-selector=reason=FellBack"}),
                HasSubstr("balancer/web"));
    cluster->kubectl({"uncordon", "node-a"});
    ASSERT_TRUE(becomes(90s, [&] { return ready() == "5 5"; })) << ready();
}

/// A HorizontalPodAutoscaler of the control plane. It has no metrics, so only its bounds apply.
std::string autoscaler(int min, int max) {
    return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\n"
           "spec:\n  scaleTargetRef: {apiVersion: balancer.x-k8s.io/v1alpha1, kind: Balancer, "
           "name: "
           "web}\n  minReplicas: " +
           std::to_string(min) + "\n  maxReplicas: " + std::to_string(max) + "\n";
}

TEST_F(ControlPlaneBalancer, IsScaledByAHorizontalPodAutoscaler) {
    const Daemon daemon(*cluster, "hpa", pipeline());
    cluster->apply(balancer(4));
    ASSERT_TRUE(becomes(60s, [&] { return ready() == "2 2"; })) << ready();
    cluster->apply(autoscaler(8, 12));
    EXPECT_TRUE(becomes(120s, [&] { return ready() == "4 4"; }))
        << ready() << cluster->kubectl({"describe", "hpa", "web"});
    cluster->apply(autoscaler(2, 6));
    EXPECT_TRUE(becomes(120s, [&] { return ready() == "3 3"; }))
        << ready() << cluster->kubectl({"describe", "hpa", "web"});
}

/// Returns the random spec with what the validation rules require: a policy that names the targets
/// of the spec, and a selector.
std::string with_names_of_targets(const Json& spec) {
    namespace json = boost::json;
    json::value out = json::parse(to_string(spec));
    json::array names;
    for (const json::value& target : out.at("targets").as_array()) {
        const json::value* name = target.as_object().if_contains("name");
        if (name != nullptr && std::ranges::find(names, *name) == names.end())
            names.push_back(*name);
    }
    json::object& policy = out.at("policy").as_object();
    if (json::value* priorities = policy.if_contains("priorities"))
        priorities->as_object()["targetOrder"] = names;
    if (json::value* proportions = policy.if_contains("proportions")) {
        json::object weights;
        for (const json::value& name : names) weights[name.as_string()] = weights.size() + 1;
        proportions->as_object()["targetProportions"] = std::move(weights);
    }
    out.at("selector") = json::object{{"matchLabels", json::object{{"app", "web"}}}};
    return json::serialize(out);
}

TEST_F(ControlPlaneBalancer, AcceptsEverySpecThatTheDefinitionAdmits) {
    using replicas::Schema;
    const Schema spec = Schema::of_definition("plugins/balancer/replicas/crd.yaml").member("spec");
    std::string list;
    for (std::uint32_t seed = 0; seed < 300; ++seed)
        list += (seed == 0 ? "" : ",") +
                std::string(R"({"apiVersion":"balancer.x-k8s.io/v1alpha1","kind":"Balancer",)") +
                R"("metadata":{"name":"fuzz-)" + std::to_string(seed) +
                R"(","namespace":"default"},"spec":)" + with_names_of_targets(spec.example(seed)) +
                "}";
    Daemon daemon(*cluster, "fuzz", pipeline());
    // Validation rules reject some of the Balancers.
    EXPECT_THROW(cluster->kubectl({"create", "-f", "-"},
                                  R"({"apiVersion":"v1","kind":"List","items":[)" + list + "]}"),
                 std::runtime_error);
    const auto count = [&](const std::string& path) {
        const std::string out = cluster->kubectl(
            {"get", "balancers", "-o", "jsonpath={range .items[*]}{" + path + "}{\"\\n\"}{end}"});
        return std::ranges::count_if(std::views::split(out, '\n'),
                                     [](auto line) { return !std::ranges::empty(line); });
    };
    const auto admitted = count(".metadata.name");
    EXPECT_GT(admitted, 50);
    EXPECT_TRUE(becomes(120s, [&] { return count(".status.observedGeneration") == admitted; }))
        << admitted << " were admitted, with a status: " << count(".status.observedGeneration");
    EXPECT_TRUE(daemon.process().is_running());
    cluster->apply(balancer(4));
    EXPECT_TRUE(becomes(60s, [&] { return ready() == "2 2"; })) << ready();
}

TEST_F(ControlPlaneBalancer, RejectsInvalidSpecsByItsDefinition) {
    EXPECT_THAT(install().out, HasSubstr("unchanged"));
    const auto is_rejected = [&](const std::string& from, const std::string& to) {
        std::string text = balancer(1);
        text.replace(text.find(from), from.size(), to);
        try {
            cluster->apply(text);
        } catch (const std::exception&) {
            return true;
        }
        return false;
    };
    EXPECT_TRUE(is_rejected("replicas: 1", "replicas: -1"));
    EXPECT_TRUE(is_rejected("policyName: proportional", "policyName: best"));
    EXPECT_TRUE(is_rejected("policyName: proportional", "policyName: priority"));
    EXPECT_TRUE(is_rejected("name: b,", "name: a,"));
    EXPECT_TRUE(is_rejected("{startupTimeout: 15s}", "{}"));
    EXPECT_TRUE(is_rejected("name: web-a}}", "name: web-a}, minReplicas: 3, maxReplicas: 2}"));
    EXPECT_TRUE(is_rejected("{a: 50, b: 50}", "{a: 50, missing: 50}"));
    EXPECT_TRUE(is_rejected("{a: 50, b: 50}", "{a: -1, b: 50}"));
    EXPECT_TRUE(is_rejected("{a: 50, b: 50}", "{a: 0, b: 0}"));
    const auto is_order_rejected = [&](const std::string& order) {
        return is_rejected("policyName: proportional",
                           "policyName: priority\n    priorities: {targetOrder: " + order + "}");
    };
    EXPECT_TRUE(is_order_rejected("[a, b, a]"));
    EXPECT_TRUE(is_order_rejected("[missing, a]"));
    EXPECT_FALSE(is_order_rejected("[a]"));
    EXPECT_FALSE(is_rejected("{startupTimeout: 15s}", "{startupTimeoutSeconds: 15}"));
}

}  // namespace
}  // namespace capstan::e2e
