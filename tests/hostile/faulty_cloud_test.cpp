// A host with two clouds, one of which is faulty, for about two minutes in real time: passes start
// on time, the Lease is always renewed, and groups of the other cloud scale up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include <boost/json/value.hpp>

#include "../e2e_embedded/embedded_cluster.hpp"
#include "config_text.hpp"
#include "faulty_cloud.hpp"
#include "host_run.hpp"

namespace capstan::hostile {
namespace {

using namespace std::chrono_literals;
using Moment = std::chrono::steady_clock::time_point;

constexpr auto near_and_far = R"(
title = "two clouds, one of them remote"
register_delay = "0s"
ready_delay = "200ms"
[pipeline.scale_up]
expanders = ["least_waste"]
similarity = []
[scale_down]
enabled = false
[[group]]
id = "near"
max = 20
boot = "200ms"
machine = { cpu = "4", memory = "16Gi" }
[[replica_set]]
name = "web"
count = 1
cpu = "3"
[[replica_set]]
name = "guest"
count = 1
cpu = "3"
node_selector = { far = "true" }
tolerations = ["far"]
)";

constexpr int pods_max = 15;
/// The default of the setting, which is shorter than the duration of the Lease.
constexpr auto renew_deadline = 10s;

struct FaultyCloudCase {
    const char* name;
    CloudFaults faults;
    const char* scan_interval;
    double late;  ///< bound of a bucket of the metric: 1.1 intervals
    std::chrono::seconds duration;
    /// One pass may be late: the first one that waits for a cloud that does not respond takes
    /// longer than a short interval.
    bool may_be_late_once;
    /// How long one refresh in nine blocks the thread of the cloud plugin.
    std::chrono::seconds blocks = 3s;
    /// Words of one log line.
    std::vector<std::string> log{};
};
std::ostream& operator<<(std::ostream& out, const FaultyCloudCase& faulty_case) {
    return out << faulty_case.name;
}

double metric(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

/// The history of the Lease, one observation per call.
class LeaseWatch {
public:
    explicit LeaseWatch(const e2e::Api& api) : api_(api) {}

    void observe() {
        const boost::json::value lease = api_.get(
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cluster-autoscaler");
        const boost::json::value& spec = lease.at("spec");
        const Moment now = std::chrono::steady_clock::now();
        if (const std::string renewed(spec.at("renewTime").as_string()); renewed != renewed_) {
            renewed_ = renewed;
            changed_ = now;
        }
        holders_.insert(std::string(spec.at("holderIdentity").as_string()));
        oldest_ = std::max(oldest_, now - changed_);
    }
    std::chrono::nanoseconds oldest() const { return oldest_; }
    const std::set<std::string>& holders() const { return holders_; }

private:
    const e2e::Api& api_;
    std::string renewed_;
    Moment changed_ = std::chrono::steady_clock::now();
    std::chrono::nanoseconds oldest_{0};
    std::set<std::string> holders_;
};

class FaultyCloudRun : public ::testing::TestWithParam<FaultyCloudCase> {
protected:
    HostRun start() {
        ConfigText config(cluster_.config());
        config.replace("clouds = [\"simulated\"]", "clouds = [\"far\", \"simulated\"]");
        config.append("\n[trust]\nsearch_paths = ['" +
                      commands::misbehaving().parent_path().string() +
                      "']\n[watchdog]\nhand_over_after = '2m'\n"
                      "[plugin.far]\nfile = 'far_cloud.so'\ngrants = { http = ['127.0.0.1'] }\n"
                      "settings = { endpoint = '" +
                      far_.url() + "', blocks_every = 9, blocks_for = '" +
                      std::to_string(GetParam().blocks.count()) + "s' }\n");
        admin_ = config.admin();
        return {config.write(cluster_.dir() / "faulty-cloud.toml"), cluster_.dir() / "host",
                cluster_.dir() / "faulty-cloud.log"};
    }
    /// Checks the Lease five times a second and the health once a second, and adds a pod for each
    /// cloud every twelve seconds.
    void watch(HostRun& run, LeaseWatch& lease) {
        const Moment until = std::chrono::steady_clock::now() + GetParam().duration;
        for (int checks = 0; std::chrono::steady_clock::now() < until; ++checks) {
            ASSERT_TRUE(run.is_running()) << run.log();
            lease.observe();
            if (checks % 5 == 0) {
                ASSERT_EQ(e2e::Api(admin_).answer("/health-check").status, 200) << run.log();
            }
            if (checks % 60 == 59) {
                cluster_.api().scale("web", std::min(++pods_, pods_max));
                cluster_.api().scale("guest", pods_);
            }
            std::this_thread::sleep_for(200ms);
        }
    }
    std::string metrics() const { return e2e::Api(admin_).answer("/metrics").body; }
    void expect_punctual(const std::string& text) const {
        const std::string name = "capstan_pass_interval_seconds";
        const double all = metric(text, name + "_count");
        std::ostringstream bound;
        bound << name << "_bucket{le=\"" << GetParam().late << "\"}";
        const double late = all - metric(text, bound.str());
        RecordProperty("intervals", static_cast<int>(all));
        RecordProperty("late", static_cast<int>(late));
        EXPECT_GE(all * GetParam().late, 0.9 * static_cast<double>(GetParam().duration.count()));
        EXPECT_LE(late, GetParam().may_be_late_once ? 1 : 0) << "of " << all;
    }

    e2e::EmbeddedCluster cluster_{std::string("scan_interval = \"") + GetParam().scan_interval +
                                  "\"" + near_and_far};
    FaultyCloud far_{GetParam().faults, 19};
    std::string admin_;
    int pods_ = 1;
};

TEST_P(FaultyCloudRun, DelaysNoPassAndLosesNoLease) {
    HostRun run = start();
    ASSERT_TRUE(wait_until(20s, [&] { return cluster_.api().leader() != ""; })) << run.log();
    LeaseWatch lease(cluster_.api());
    ASSERT_NO_FATAL_FAILURE(watch(run, lease));
    expect_punctual(metrics());
    EXPECT_LT(lease.oldest(), renew_deadline);
    EXPECT_TRUE(run.has_line(GetParam().log)) << run.log();
    EXPECT_EQ(lease.holders().size(), 1u) << run.log();
    const int wanted = std::min(pods_, pods_max);
    EXPECT_TRUE(wait_until(40s, [&] { return cluster_.api().ready_pods("web") == wanted; }))
        << run.log();
    EXPECT_EQ(e2e::Api(admin_).answer("/livez").status, 200);
    EXPECT_LE(run.stop(SIGTERM, 30s), 25s) << run.log();
    EXPECT_EQ(run.exit_code(), 0) << run.log();
    if (!HasFailure()) return;
    std::cerr << run.log();
    for (const auto& [reaction, count] : far_.counts())
        std::cerr << "the cloud " << reaction << ": " << count << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Cloud, FaultyCloudRun,
    ::testing::Values(
        FaultyCloudCase{"WithAllFaults",
                        {.hangs = 12, .lags = 20, .throttles = 12, .drops = 12, .fails = 6},
                        "15s",
                        16.5,
                        150s,
                        false},
        FaultyCloudCase{"AlwaysHanging", {.hangs = 100}, "2s", 2.2, 125s, true},
        FaultyCloudCase{"LaggingThrottlingFailingAndDropping",
                        {.lags = 20, .throttles = 20, .drops = 20, .fails = 10},
                        "5s",
                        5.5,
                        125s,
                        false},
        FaultyCloudCase{"BlockingItsThreadForAMinute",
                        {},
                        "5s",
                        5.5,
                        110s,
                        true,
                        62s,
                        {"plugin far: refresh has blocked its thread for"}}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace capstan::hostile
