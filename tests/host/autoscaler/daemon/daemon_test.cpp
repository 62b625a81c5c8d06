#include "autoscaler/daemon/daemon.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "live_cluster.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

std::string holder(const LiveCluster& cluster) {
    const auto lease = cluster.find("leases.coordination.k8s.io", "cluster-autoscaler");
    return lease ? std::string(lease->at("spec").at("holderIdentity").as_string()) : "no Lease";
}

/// The `times` from `from` to before `to`.
std::vector<Duration> between(const std::vector<Duration>& times, Duration from, Duration to) {
    std::vector<Duration> out;
    std::ranges::copy_if(times, std::back_inserter(out),
                         [&](Duration time) { return time >= from && time < to; });
    return out;
}

TEST(Daemon, RunsAPassEachInterval) {
    LiveCluster cluster;
    cluster.run(1min);
    EXPECT_THAT(cluster.begins.size(), AllOf(Ge(6u), Le(7u)));
}

TEST(Daemon, SkipsPassesThatSeeNothingNew) {
    LiveCluster cluster;
    cluster.skips_for = 1min;
    cluster.at(65s, [&] { cluster.add_pending_pod("web-1"); });
    cluster.run(90s);
    EXPECT_THAT(between(cluster.begins, 0s, 60s), SizeIs(1));
    EXPECT_THAT(between(cluster.begins, 60s, 65s), SizeIs(1)) << "at least one a minute";
    EXPECT_THAT(between(cluster.begins, 65s, 67s), SizeIs(1)) << "because of the pod";
    EXPECT_THAT(between(cluster.begins, 67s, 90s), Not(IsEmpty())) << "after an increase";
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_skipped_passes_total 6\n"));
}

TEST(Daemon, ReportsItsClusterInAMetric) {
    LiveCluster cluster("name = \"prod\"");
    cluster.run(5s);
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_info{cluster=\"prod\",version=\"test\"} 1"));
}

TEST(Daemon, ReleasesTheLeaseAndRemovesItsStatusWhenStopped) {
    LiveCluster cluster;
    cluster.at(20s, [&] {
        EXPECT_EQ(holder(cluster), "tester");
        EXPECT_NE(cluster.find("configmaps", "cluster-autoscaler-status"), nullptr);
    });
    cluster.run(30s);
    EXPECT_EQ(holder(cluster), "");
    EXPECT_EQ(cluster.find("configmaps", "cluster-autoscaler-status"), nullptr);
    EXPECT_NE(cluster.find("configmaps", "capstan-memory"), nullptr) << "the next start reads it";
}

TEST(Daemon, StopsInTimeIfTheServerIsSlow) {
    LiveCluster cluster;
    cluster.at(21s, [&] {
        cluster.server->faults().add({.delay = 20s, .times = std::nullopt});
        cluster.add_pending_pod("web-1");
    });
    cluster.run(25s);  // fails if the daemon needs more than 25 s to stop
    EXPECT_LE(cluster.now(), 25s + 16s);
}

TEST(Daemon, WritesNothingAfterItLostTheLease) {
    LiveCluster cluster;
    std::vector<std::string> written;
    bool has_lost = false;
    cluster.on_write = [&](const io::ServedRequest& request) {
        const bool is_own = request.target.find("leases") != std::string::npos ||
                            request.target.find("events") != std::string::npos;
        if (has_lost && !is_own) written.push_back(request.method + " " + request.target);
    };
    cluster.at(25s, [&] { cluster.take_lease("another"); });
    // The next renewal, at most two seconds later, fails.
    cluster.at(30s, [&] {
        has_lost = true;
        cluster.add_pending_pod("web-1");
    });
    cluster.at(42s, [&] {
        EXPECT_EQ(holder(cluster), "another");
        EXPECT_THAT(written, IsEmpty());
        has_lost = false;
        cluster.take_lease("");
    });
    bool has_scaled_up = false;
    cluster.on_pass = [&](const PassReport& pass) {
        has_scaled_up = has_scaled_up || !pass.results.increases.empty();
    };
    cluster.run(80s);
    EXPECT_THAT(between(cluster.begins, 30s, 42s), IsEmpty());
    EXPECT_THAT(between(cluster.begins, 42s, 80s), Not(IsEmpty()));
    EXPECT_TRUE(has_scaled_up) << "in the new term";
}

TEST(Daemon, DropsADecisionOfAnEndedTerm) {
    LiveCluster cluster;
    // The Lease is lost while memory is written before the increase.
    cluster.at(25s, [&] {
        cluster.server->faults().add(
            {.verb = "update", .resource = "configmaps", .name = "capstan-memory", .delay = 8s});
        cluster.add_pending_pod("web-1");
    });
    cluster.at(27s, [&] { cluster.take_lease("another"); });
    std::vector<std::string> results;
    cluster.on_pass = [&](const PassReport& pass) {
        for (const auto& error : pass.results.increases)
            results.push_back(error ? error->message : "done");
    };
    cluster.run(40s);  // the Lease of the other host expires at 42 s
    ASSERT_EQ(results.size(), 1u);
    EXPECT_THAT(results[0], HasSubstr("no longer the leader"));
}

TEST(Daemon, ReportsTheEndOfItsTermWhileAPassHangs) {
    LiveCluster cluster;
    // The memory is written before the increase; the pass waits for that write.
    cluster.at(25s, [&] {
        cluster.server->faults().add(
            {.verb = "update", .resource = "configmaps", .name = "capstan-memory", .delay = 8s});
        cluster.add_pending_pod("web-1");
    });
    cluster.at(26s, [&] {
        EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_leader 1\n"));
        cluster.take_lease("another");
    });
    // The next renewal, at most two seconds later, fails.
    cluster.at(30s, [&] {
        EXPECT_THAT(between(cluster.ends, 25s, 30s), IsEmpty()) << "the pass hangs";
        EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_leader 0\n"));
    });
    cluster.run(35s);
}

TEST(Daemon, OrdersNothingWhileTheMemoryCannotBeWritten) {
    LiveCluster cluster;
    cluster.skips_for = 1min;
    cluster.at(25s, [&] {
        cluster.server->faults().add({.verb = "update",
                                      .resource = "configmaps",
                                      .name = "capstan-memory",
                                      .status = 403,
                                      .times = std::nullopt});
        cluster.add_pending_pod("web-1");
    });
    std::vector<std::string> results;
    cluster.on_pass = [&](const PassReport& pass) {
        for (const auto& error : pass.results.increases)
            results.push_back(error ? error->message : "done");
    };
    const std::string metric = "capstan_memory_unwritten ";
    cluster.at(55s, [&] {
        EXPECT_THAT(results, AllOf(Not(IsEmpty()),
                                   Each(HasSubstr("memory cannot be written: write ConfigMap "
                                                  "kube-system/capstan-memory: "))));
        EXPECT_THAT(cluster.metrics(), HasSubstr(metric + "1\n"));
        results.clear();
        cluster.server->faults().clear();
    });
    cluster.run(90s);
    EXPECT_THAT(results, ElementsAre("done"));
    EXPECT_THAT(cluster.metrics(), HasSubstr(metric + "0\n"));
}

TEST(Daemon, DropsADecisionOfAnEarlierTerm) {
    LiveCluster cluster;
    cluster.at(25s, [&] {
        cluster.server->faults().add(
            {.verb = "update", .resource = "configmaps", .name = "capstan-memory", .delay = 20s});
        cluster.add_pending_pod("web-1");
    });
    cluster.at(27s, [&] { cluster.take_lease("another"); });
    cluster.at(31s, [&] { cluster.take_lease(""); });
    cluster.at(44s,
               [&] { EXPECT_EQ(holder(cluster), "tester") << "while the decision is pending"; });
    std::vector<std::string> results;
    cluster.on_pass = [&](const PassReport& pass) {
        for (const auto& error : pass.results.increases)
            results.push_back(error ? error->message : "done");
    };
    cluster.run(70s);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_THAT(results[0], HasSubstr("no longer the leader"));
    EXPECT_EQ(results[1], "done") << "decided again";
}

TEST(Daemon, RunsOnePassSoonForPodsThatArriveTogether) {
    LiveCluster cluster("scan_interval = \"1m\"");
    for (int i = 0; i < 20; ++i)
        cluster.at(30s + i * 4ms, [&, i] { cluster.add_pending_pod("web-" + std::to_string(i)); });
    std::size_t schedulable = 0;
    cluster.on_pass = [&](const PassReport& pass) {
        for (const engine::PodCount& pods : pass.decision().schedulable) schedulable += pods.count;
    };
    cluster.run(55s);
    const std::vector<Duration> soon = between(cluster.begins, 30s, 55s);
    ASSERT_EQ(soon.size(), 1u);
    EXPECT_LE(soon[0], 30s + 500ms);
    EXPECT_EQ(schedulable, 20u);
}

TEST(Daemon, TakesTheNextStepOfARemovalWithoutWaitingForTheInterval) {
    namespace json = boost::json;
    LiveCluster cluster(
        "scan_interval = \"10s\"\n[scale_down]\nunneeded_time = \"20s\"\n"
        "node_delete_delay_after_taint = \"2s\"",
        "groups = [{ id = \"web\", size = 1, max = 1, machine = { cpu = \"4\", memory = \"16Gi\" } "
        "}]");
    const json::object ready{{"type", "Ready"}, {"status", "True"}};
    const json::object amounts{{"cpu", "4"}, {"memory", "16Gi"}, {"pods", "110"}};
    cluster.make(
        "nodes", "",
        {{"metadata", {{"name", "web-1"}}},
         {"spec", {{"providerID", "simulated://web/1"}}},
         {"status",
          {{"capacity", amounts}, {"allocatable", amounts}, {"conditions", json::array{ready}}}}});
    std::optional<Duration> removed;
    std::vector<Duration> marked;
    cluster.on_pass = [&](const PassReport& pass) {
        for (const engine::NodeChange& change : pass.decision().node_changes)
            if (change.unschedulable.value_or(false) || !change.set_taints.empty())
                marked.push_back(cluster.begins.back());
        if (!pass.results.removals.empty()) removed = cluster.begins.back();
    };
    cluster.run(60s);
    ASSERT_TRUE(removed);
    const auto last = std::ranges::lower_bound(marked, *removed);
    ASSERT_NE(last, marked.begin());
    EXPECT_LE(*removed - *std::prev(last), 2500ms) << "2s after the taint";
}

TEST(Daemon, RunsARequestedPassAtMostEveryFiveSeconds) {
    LiveCluster cluster("scan_interval = \"1m\"");
    for (const Duration when : {30s, 31s, 32s})
        cluster.at(when,
                   [&] { cluster.host().pass_requests().submit({"east", "a spot notice came"}); });
    cluster.run(50s);
    const std::vector<Duration> passes = between(cluster.begins, 30s, 50s);
    ASSERT_EQ(passes.size(), 2u) << "the second and third request are combined";
    EXPECT_LE(passes[0], 30s + 500ms);
    EXPECT_THAT(passes[1], AllOf(Ge(35s), Le(35s + 500ms)));
}

TEST(Daemon, MeasuresTheTimeUntilAScaleUpForAPod) {
    LiveCluster cluster;
    cluster.server->faults().add(
        {.verb = "update", .resource = "configmaps", .name = "capstan-memory", .delay = 4s});
    cluster.at(25s, [&] {
        for (int i = 0; i < 3; ++i) cluster.add_pending_pod("web-" + std::to_string(i));
    });
    cluster.run(2min);
    const std::string metrics = cluster.metrics();
    const std::string name = "capstan_pod_unschedulable_to_scale_up_seconds";
    EXPECT_THAT(metrics, HasSubstr(name + "_count 3\n")) << "each pod once";
    EXPECT_THAT(metrics, HasSubstr(name + "_bucket{le=\"2\"} 0\n"));
    EXPECT_THAT(metrics, HasSubstr(name + "_bucket{le=\"5\"} 3\n"));
    EXPECT_THAT(metrics, HasSubstr("capstan_unreported_scale_up_pods_total 0\n"));
}

TEST(Daemon, StartsNoPassBeforeTheLastHasEnded) {
    LiveCluster cluster("scan_interval = \"1s\"");
    cluster.server->faults().add(
        {.verb = "update", .resource = "configmaps", .delay = 4s, .times = std::nullopt});
    for (int i = 0; i < 8; ++i)
        cluster.at(20s + i * 1500ms,
                   [&, i] { cluster.add_pending_pod("web-" + std::to_string(i)); });
    cluster.run(50s);
    ASSERT_GE(cluster.begins.size(), 10u);
    bool was_slow = false;
    for (std::size_t i = 0; i < cluster.begins.size(); ++i) {
        was_slow = was_slow || cluster.ends[i] - cluster.begins[i] >= 4s;
        if (i > 0) {
            EXPECT_GE(cluster.begins[i], cluster.ends[i - 1]);
        }
    }
    EXPECT_TRUE(was_slow);
}

TEST(Daemon, KeepsItsConfigurationIfANewOneIsInvalid) {
    LiveCluster cluster;
    int reads = 0;
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        ++reads;
        return fail(ErrorCode::invalid_config, "capstan.toml:3:1: unknown key");
    };
    cluster.at(21s, [] { std::raise(SIGHUP); });
    cluster.run(60s);
    EXPECT_EQ(reads, 1);
    EXPECT_EQ(between(cluster.begins, 30s, 60s).size(), 3u) << "still every ten seconds";
}

/// Records each change of the first expander.
void record_expanders(LiveCluster& cluster, std::vector<std::string>& expanders) {
    cluster.on_pass = [&](const PassReport& pass) {
        const std::string& now = pass.input.wiring.expanders.at(0).expander->id();
        if (expanders.empty() || expanders.back() != now) expanders.push_back(now);
    };
}

TEST(Daemon, AppliesANewExpanderWithoutARestart) {
    LiveCluster cluster;
    const auto other = cluster.assemble(
        "[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"mine\"]\n"
        "[plugin.mine]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        return LiveCluster::loaded(*other);
    };
    std::vector<std::string> expanders;
    record_expanders(cluster, expanders);
    cluster.at(21s, [] { std::raise(SIGHUP); });
    cluster.at(35s, [&] { cluster.add_pending_pod("web-1"); });
    cluster.run(60s);
    EXPECT_THAT(expanders, ElementsAre("least_waste", "mine"));
    EXPECT_EQ(cluster.host().find(PluginInstanceId("least_waste")), nullptr);
    EXPECT_TRUE(cluster.host().find(PluginInstanceId("mine"))->is_running());
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_config_in_force 1\n"));
    EXPECT_THAT(cluster.metrics(), HasSubstr("cluster_autoscaler_scaled_up_nodes_total"));
}

TEST(Daemon, KeepsItsConfigurationIfANewPluginCannotBeCreated) {
    LiveCluster cluster;
    const auto other = cluster.assemble(
        "scan_interval = \"2s\"\n[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"mine\"]\n"
        "[plugin.mine]\nfile = \"failing.so\"\nclass = \"tiny\"\n");
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        return LiveCluster::loaded(*other);
    };
    std::vector<std::string> expanders;
    record_expanders(cluster, expanders);
    cluster.at(21s, [] { std::raise(SIGHUP); });
    std::string status;
    cluster.at(55s, [&] {
        status = std::string(cluster.find("configmaps", "cluster-autoscaler-status")
                                 ->at("data")
                                 .at("status")
                                 .as_string());
    });
    cluster.run(60s);
    EXPECT_THAT(expanders, ElementsAre("least_waste"));
    EXPECT_EQ(between(cluster.begins, 30s, 60s).size(), 3u) << "still every ten seconds";
    EXPECT_EQ(cluster.host().find(PluginInstanceId("mine")), nullptr);
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_config_in_force 0\n"));
    EXPECT_THAT(status, HasSubstr("configuration:\n  inForce: false\n"));
    EXPECT_THAT(status, HasSubstr("message: \"file has errors: plugin mine"));
}

TEST(Daemon, AppliesLiveSettingsAndNamesThoseThatNeedARestart) {
    LiveCluster cluster;
    const auto other = cluster.assemble("scan_interval = \"2s\"\nkube_client_qps = 7.0");
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        return LiveCluster::loaded(*other);
    };
    cluster.at(21s, [] { std::raise(SIGHUP); });
    std::string status;
    cluster.at(55s, [&] {
        status = std::string(cluster.find("configmaps", "cluster-autoscaler-status")
                                 ->at("data")
                                 .at("status")
                                 .as_string());
    });
    cluster.run(60s);
    EXPECT_THAT(between(cluster.begins, 30s, 60s).size(), AllOf(Ge(14u), Le(16u)));
    EXPECT_THAT(
        status,
        HasSubstr("message: \"changed settings that need a restart: cluster.kube_client_qps\"\n"));
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_config_in_force 0\n"));
}

TEST(Daemon, AppliesANewScanInterval) {
    LiveCluster cluster;
    const auto faster = cluster.assemble("scan_interval = \"2s\"");
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        return LiveCluster::loaded(*faster);
    };
    cluster.at(21s, [] { std::raise(SIGHUP); });
    cluster.run(60s);
    EXPECT_THAT(between(cluster.begins, 30s, 60s).size(), AllOf(Ge(14u), Le(16u)));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
