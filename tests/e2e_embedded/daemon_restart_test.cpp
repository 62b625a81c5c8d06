// The daemon is killed at each step of its work, and kubectl changes the cluster. The
// next daemon completes the work and does nothing twice. tests/faults kills daemons at every write,
// on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ostream>

#include <boost/json/parse.hpp>

#include "embedded_cluster.hpp"
#include "live_shop.hpp"

namespace capstan::e2e {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto to_be_deleted = "ToBeDeletedByClusterAutoscaler";

/// A Deployment of one pod that needs less than half a machine.
constexpr auto guest = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: guest, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: guest}}
  template:
    metadata: {labels: {app: guest}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: main, image: guest, resources: {requests: {cpu: "1500m"}}}]
)";

/// Disruption budgets that allow no eviction.
constexpr auto budgets = R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guest, namespace: default}
spec: {maxUnavailable: 0, selector: {matchLabels: {app: guest}}}
)";

/// A fault in JSON: requests that match `which` get no response during the test.
std::string hanging(const std::string& which) {
    return "{" + which + R"(, "delayMs": 600000, "times": 0})";
}
const std::string node_patches = R"("verb": "patch", "resource": "nodes")";
const std::string memory_writes =
    R"("verb": "update", "resource": "configmaps", "name": "capstan-memory")";

/// Keys of [scale_down] with their values in TOML.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The scenario `live_shop` with these settings instead of its own.
std::string shop_with(const Settings& settings) {
    std::string out = live_shop;
    for (const auto& [key, value] : settings) {
        const std::size_t found = out.find(key + " = ");
        if (found != std::string::npos) out.erase(found, out.find('\n', found) + 1 - found);
        const std::string section = "[scale_down]\n";
        out.insert(out.find(section) + section.size(), key + " = " + value + "\n");
    }
    return out;
}

class DaemonRestart : public ::testing::Test {
protected:
    void SetUp() override {
        const std::string because = EmbeddedCluster::kubectl_missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
    }
    /// Starts the cluster and a daemon without soft taints, so that each patch of a node is a step
    /// of a removal.
    void open(Settings settings = {}) {
        settings.emplace_back("max_bulk_soft_taint_count", "0");
        cluster_ = std::make_unique<EmbeddedCluster>(shop_with(settings));
        daemon_ = std::make_unique<Daemon>(*cluster_, "daemon");
        ASSERT_TRUE(becomes(30s, [&] { return api().ready_pods("web") == 1; })) << daemon_->log();
    }
    const Api& api() const { return cluster_->api(); }
    std::string kubectl(const std::vector<std::string>& arguments, const std::string& input = {}) {
        return cluster_->kubectl(arguments, input);
    }
    void scale_web(const char* replicas) {
        kubectl({"scale", "deployment", "web", std::string("--replicas=") + replicas});
    }
    /// Waits until a request hangs.
    void await_hanging_request() {
        const auto taken = [&] { return api().get("/capstan/faults").at("taken").as_int64(); };
        ASSERT_TRUE(becomes(40s, [&] { return taken() > 0; })) << daemon_->log();
    }
    /// The phase of the removal in the memory's ConfigMap; empty: the memory has no removal.
    std::string phase() const {
        const json::value map =
            api().get("/api/v1/namespaces/kube-system/configmaps/capstan-memory");
        const json::value stored = json::parse(map.at_pointer("/data/memory").as_string());
        const json::value* removals = stored.at("memory").as_object().if_contains("removals");
        if (removals == nullptr || removals->as_object().empty()) return "";
        const json::value* phase =
            removals->as_object().begin()->value().as_object().if_contains("phase");
        return phase == nullptr ? "tainting" : std::string(phase->as_string());
    }
    void await_phase(const std::string& name) {
        ASSERT_TRUE(becomes(40s, [&] { return phase() == name; })) << phase() << daemon_->log();
    }
    void kill_and_restart() {
        daemon_->kill();
        kubectl({"delete", "--raw", "/capstan/faults"});
        daemon_ = std::make_unique<Daemon>(*cluster_, "daemon");
    }
    const Daemon& daemon() const { return *daemon_; }

private:
    std::unique_ptr<EmbeddedCluster> cluster_{};
    std::unique_ptr<Daemon> daemon_{};
};

struct IncreaseCase {
    const char* name;
    std::string hangs;                  ///< the requests that hang once pods are pending
    std::chrono::seconds within = 60s;  ///< all pods run within this time after the restart
};
/// If the memory has an increase that may have been executed, the next daemon expects its machines
/// for two minutes before it orders them again.
constexpr std::chrono::seconds expected_for = 120s;
void PrintTo(const IncreaseCase& increase, std::ostream* out) { *out << increase.name; }

class DaemonRestartInScaleUp : public DaemonRestart,
                               public ::testing::WithParamInterface<IncreaseCase> {};

TEST_P(DaemonRestartInScaleUp, OrdersEachMachineOnce) {
    open();
    api().create("/capstan/faults", hanging(GetParam().hangs));
    scale_web("8");
    await_hanging_request();
    kill_and_restart();
    EXPECT_TRUE(becomes(GetParam().within, [&] { return api().ready_pods("web") == 8; }))
        << daemon().log();
    EXPECT_EQ(api().nodes_of("web"), 4) << daemon().log();
}

INSTANTIATE_TEST_SUITE_P(
    KilledAt, DaemonRestartInScaleUp,
    ::testing::Values(
        IncreaseCase{"Decision", memory_writes},
        IncreaseCase{"MemoryWrite", memory_writes + R"(, "carriedOut": true)", expected_for + 60s},
        IncreaseCase{"OrderBeforeItsMemoryWrite", memory_writes + R"(, "skip": 1)"},
        IncreaseCase{"NodeCreation", R"("verb": "create", "resource": "nodes")"},
        IncreaseCase{"NodeJoin", R"("verb": "create", "resource": "nodes", "carriedOut": true)"}),
    [](const auto& each) { return std::string(each.param.name); });

/// Two machines: one with two pods of "web", one with the pod of "guest". begin_removal() removes a
/// pod of "web", so that one machine is unneeded.
class DaemonRestartInScaleDown : public DaemonRestart {
protected:
    void set_up_two_nodes(const Settings& settings = {}) {
        ASSERT_NO_FATAL_FAILURE(open(settings));
        scale_web("2");
        ASSERT_TRUE(becomes(30s, [&] { return api().ready_pods("web") == 2; })) << daemon().log();
        kubectl({"apply", "-f", "-"}, guest);
        ASSERT_TRUE(becomes(40s, [&] { return api().ready_pods("guest") == 1; })) << daemon().log();
        ASSERT_EQ(api().nodes_of("web"), 2) << daemon().log();
    }
    void begin_removal() { scale_web("1"); }
    void expect_removal_end() {
        EXPECT_TRUE(becomes(90s, [&] { return api().nodes_of("web") == 1; })) << daemon().log();
        EXPECT_TRUE(becomes(20s, [&] {
            return api().ready_pods("web") == 1 && api().ready_pods("guest") == 1;
        })) << daemon().log();
        EXPECT_TRUE(becomes(20s, [&] { return is_untainted(); })) << daemon().log();
    }
    bool is_untainted() const {
        return api().names("/api/v1/nodes", to_be_deleted).empty() &&
               api().names("/api/v1/nodes", R"("unschedulable":true)").empty();
    }
};

TEST_F(DaemonRestartInScaleDown, CompletesARemovalBeforeItsTaint) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(node_patches));
    begin_removal();
    await_hanging_request();
    EXPECT_TRUE(is_untainted());
    kill_and_restart();
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesARemovalWhoseTaintIsUnconfirmed) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(node_patches + R"(, "carriedOut": true)"));
    begin_removal();
    await_hanging_request();
    EXPECT_FALSE(is_untainted());
    kill_and_restart();
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesARemovalInItsDelayAfterTheTaint) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes({{"node_delete_delay_after_taint", "'4s'"}}));
    begin_removal();
    await_phase("waiting");
    kill_and_restart();
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesADrain) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    begin_removal();
    await_phase("draining");
    kill_and_restart();
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesARemovalDelayedByAnAnnotation) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    const std::string delay = "delay-deletion.cluster-autoscaler.kubernetes.io/test";
    kubectl({"annotate", "nodes", "--all", delay + "=please"});
    begin_removal();
    await_phase("delayed");
    kill_and_restart();
    EXPECT_EQ(api().nodes_of("web"), 2) << "still delayed";
    kubectl({"annotate", "nodes", "--all", delay + "-"});
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesARemovalBeforeItsMachineRequest) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(node_patches + R"(, "skip": 1)"));
    begin_removal();
    await_hanging_request();
    kill_and_restart();
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesARemovalOfAMachine) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(R"("verb": "delete", "resource": "nodes")"));
    begin_removal();
    await_phase("removed");
    kill_and_restart();
    expect_removal_end();
}

TEST_F(DaemonRestartInScaleDown, CompletesACancelledRemoval) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes(
        {{"node_delete_delay_after_taint", "'4s'"}, {"max_pod_eviction_time", "'2s'"}}));
    begin_removal();
    await_phase("waiting");
    kubectl({"apply", "-f", "-"}, budgets);
    api().create("/capstan/faults", hanging(node_patches));
    await_hanging_request();
    EXPECT_FALSE(is_untainted());
    kill_and_restart();
    EXPECT_TRUE(becomes(40s, [&] { return is_untainted(); })) << daemon().log();
    EXPECT_EQ(api().nodes_of("web"), 2) << daemon().log();
    kubectl({"delete", "pdb", "web", "guest"});
    expect_removal_end();
}

}  // namespace
}  // namespace capstan::e2e
