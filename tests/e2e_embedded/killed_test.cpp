// The daemon is killed at each step of its work, and kubectl makes the changes of the cluster. The
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

/// A Deployment of one pod that needs a little less than half a machine.
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

/// A fault in JSON: matching requests get no answer for longer than the test takes.
std::string hanging(const std::string& which) {
    return "{" + which + R"(, "delayMs": 600000, "times": 0})";
}
const std::string marks = R"("verb": "patch", "resource": "nodes")";
const std::string memory =
    R"("verb": "update", "resource": "configmaps", "name": "capstan-memory")";

/// Keys of [scale_down] with their values in TOML.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The scenario `live_shop` with these settings, which replace its own.
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

class Killed : public ::testing::Test {
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
    void kill_and_start_again() {
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
/// An increase in the memory may have been carried out, so the next daemon expects its machines for
/// two minutes before it orders them again.
constexpr std::chrono::seconds expected_for = 120s;
void PrintTo(const IncreaseCase& increase, std::ostream* out) { *out << increase.name; }

class KilledInGrowth : public Killed, public ::testing::WithParamInterface<IncreaseCase> {};

TEST_P(KilledInGrowth, OrdersEachMachineOnce) {
    open();
    api().create("/capstan/faults", hanging(GetParam().hangs));
    scale_web("8");
    await_hanging_request();
    kill_and_start_again();
    EXPECT_TRUE(becomes(GetParam().within, [&] { return api().ready_pods("web") == 8; }))
        << daemon().log();
    EXPECT_EQ(api().nodes_of("web"), 4) << daemon().log();
}

INSTANTIATE_TEST_SUITE_P(
    When, KilledInGrowth,
    ::testing::Values(IncreaseCase{"ItWasDecided", memory},
                      IncreaseCase{"ItWasWrittenDown", memory + R"(, "carriedOut": true)",
                                   expected_for + 60s},
                      IncreaseCase{"ItWasOrderedAndNotWrittenDown", memory + R"(, "skip": 1)"},
                      IncreaseCase{"MachinesAreToJoin", R"("verb": "create", "resource": "nodes")"},
                      IncreaseCase{"MachinesHaveJoined",
                                   R"("verb": "create", "resource": "nodes", "carriedOut": true)"}),
    [](const auto& each) { return std::string(each.param.name); });

/// Two machines, with a pod of "web" on the first and the pod of "guest" on the other, so that one
/// of them is unneeded after begin().
class KilledInRemoval : public Killed {
protected:
    void set_up_two_nodes(const Settings& settings = {}) {
        ASSERT_NO_FATAL_FAILURE(open(settings));
        scale_web("2");
        ASSERT_TRUE(becomes(30s, [&] { return api().ready_pods("web") == 2; })) << daemon().log();
        kubectl({"apply", "-f", "-"}, guest);
        ASSERT_TRUE(becomes(40s, [&] { return api().ready_pods("guest") == 1; })) << daemon().log();
        ASSERT_EQ(api().nodes_of("web"), 2) << daemon().log();
    }
    void begin() { scale_web("1"); }
    void expect_end() {
        EXPECT_TRUE(becomes(90s, [&] { return api().nodes_of("web") == 1; })) << daemon().log();
        EXPECT_TRUE(becomes(20s, [&] {
            return api().ready_pods("web") == 1 && api().ready_pods("guest") == 1;
        })) << daemon().log();
        EXPECT_TRUE(becomes(20s, [&] { return is_unmarked(); })) << daemon().log();
    }
    bool is_unmarked() const {
        return api().names("/api/v1/nodes", to_be_deleted).empty() &&
               api().names("/api/v1/nodes", R"("unschedulable":true)").empty();
    }
};

TEST_F(KilledInRemoval, BeforeItsNodeWasMarked) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(marks));
    begin();
    await_hanging_request();
    EXPECT_TRUE(is_unmarked());
    kill_and_start_again();
    expect_end();
}

TEST_F(KilledInRemoval, WhenItsNodeWasMarkedAndNobodyKnew) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(marks + R"(, "carriedOut": true)"));
    begin();
    await_hanging_request();
    EXPECT_FALSE(is_unmarked());
    kill_and_start_again();
    expect_end();
}

TEST_F(KilledInRemoval, WhileTheSchedulerGetsTimeToSeeIt) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes({{"node_delete_delay_after_taint", "'4s'"}}));
    begin();
    await_phase("waiting");
    kill_and_start_again();
    expect_end();
}

TEST_F(KilledInRemoval, WhilePodsAreLeaving) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    begin();
    await_phase("draining");
    kill_and_start_again();
    expect_end();
}

TEST_F(KilledInRemoval, WhileSomebodyDelaysIt) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    const std::string delay = "delay-deletion.cluster-autoscaler.kubernetes.io/test";
    kubectl({"annotate", "nodes", "--all", delay + "=please"});
    begin();
    await_phase("delayed");
    kill_and_start_again();
    EXPECT_EQ(api().nodes_of("web"), 2) << "it is still delayed";
    kubectl({"annotate", "nodes", "--all", delay + "-"});
    expect_end();
}

TEST_F(KilledInRemoval, BeforeItsMachineWasAskedToGo) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(marks + R"(, "skip": 1)"));
    begin();
    await_hanging_request();
    kill_and_start_again();
    expect_end();
}

TEST_F(KilledInRemoval, WhileItsMachineIsBeingRemoved) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes());
    api().create("/capstan/faults", hanging(R"("verb": "delete", "resource": "nodes")"));
    begin();
    await_phase("removed");
    kill_and_start_again();
    expect_end();
}

TEST_F(KilledInRemoval, WhileItIsTakenBack) {
    ASSERT_NO_FATAL_FAILURE(set_up_two_nodes(
        {{"node_delete_delay_after_taint", "'4s'"}, {"max_pod_eviction_time", "'2s'"}}));
    begin();
    await_phase("waiting");
    kubectl({"apply", "-f", "-"}, budgets);
    api().create("/capstan/faults", hanging(marks));
    await_hanging_request();
    EXPECT_FALSE(is_unmarked());
    kill_and_start_again();
    EXPECT_TRUE(becomes(40s, [&] { return is_unmarked(); })) << daemon().log();
    EXPECT_EQ(api().nodes_of("web"), 2) << daemon().log();
    kubectl({"delete", "pdb", "web", "guest"});
    expect_end();
}

}  // namespace
}  // namespace capstan::e2e
