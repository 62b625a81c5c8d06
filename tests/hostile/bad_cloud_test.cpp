// Two minutes and more in real time, of a host with two clouds of which one has a bad day: passes
// begin when they are due, the Lease never lapses, and the other cloud's groups grow.
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
#include "host_run.hpp"
#include "weather.hpp"

namespace capstan::hostile {
namespace {

using namespace std::chrono_literals;
using Moment = std::chrono::steady_clock::time_point;

constexpr auto near_and_far = R"(
title = "two clouds, of which one is far"
register_delay = "0s"
ready_delay = "200ms"
[pipeline.scale_up]
expanders = ["least_waste"]
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
/// The default, within the Lease's duration.
constexpr auto renew_deadline = 10s;

struct Story {
    const char* name;
    Weather weather;
    const char* scan_interval;
    double late;  ///< a bound of the metric's: 1.1 intervals
    std::chrono::seconds lasts;
    /// Passes of a hundred, rounded up, may begin later. What a first silence takes of one pass is
    /// more than an interval, where that is short.
    bool may_be_late_once;
    /// How long one refresh in nine keeps the thread of the cloud's plugin.
    std::chrono::seconds blocks = 3s;
    /// Words that one line of the log has.
    std::vector<std::string> says{};
};
std::ostream& operator<<(std::ostream& out, const Story& story) { return out << story.name; }

double metric(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

/// What the Lease was like, each time that it was looked at.
class LeaseWatch {
public:
    explicit LeaseWatch(const e2e::Api& api) : api_(api) {}

    void look() {
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

class BadDay : public ::testing::TestWithParam<Story> {
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
        return {config.write(cluster_.dir() / "bad-day.toml"), cluster_.dir() / "host",
                cluster_.dir() / "bad-day.log"};
    }
    /// Pods come all the time, for both clouds.
    void watch(HostRun& run, LeaseWatch& lease) {
        const Moment until = std::chrono::steady_clock::now() + GetParam().lasts;
        for (int looks = 0; std::chrono::steady_clock::now() < until; ++looks) {
            ASSERT_TRUE(run.is_running()) << run.log();
            lease.look();
            if (looks % 5 == 0) {
                ASSERT_EQ(e2e::Api(admin_).answer("/health-check").status, 200) << run.log();
            }
            if (looks % 60 == 59) {
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
        EXPECT_GE(all * GetParam().late, 0.9 * static_cast<double>(GetParam().lasts.count()));
        EXPECT_LE(late, GetParam().may_be_late_once ? 1 : 0) << "of " << all;
    }

    e2e::EmbeddedCluster cluster_{std::string("scan_interval = \"") + GetParam().scan_interval +
                                  "\"" + near_and_far};
    BadCloud far_{GetParam().weather, 19};
    std::string admin_;
    int pods_ = 1;
};

TEST_P(BadDay, DelaysNoPassAndCostsNoLease) {
    HostRun run = start();
    ASSERT_TRUE(becomes(20s, [&] { return cluster_.api().leader() != ""; })) << run.log();
    LeaseWatch lease(cluster_.api());
    ASSERT_NO_FATAL_FAILURE(watch(run, lease));
    expect_punctual(metrics());
    EXPECT_LT(lease.oldest(), renew_deadline);
    EXPECT_TRUE(run.says(GetParam().says)) << run.log();
    EXPECT_EQ(lease.holders().size(), 1u) << run.log();
    const int wanted = std::min(pods_, pods_max);
    EXPECT_TRUE(becomes(40s, [&] { return cluster_.api().ready_pods("web") == wanted; }))
        << run.log();
    EXPECT_EQ(e2e::Api(admin_).answer("/livez").status, 200);
    EXPECT_LE(run.stop(SIGTERM, 30s), 25s) << run.log();
    EXPECT_EQ(run.exit_code(), 0) << run.log();
    if (!HasFailure()) return;
    std::cerr << run.log();
    for (const auto& [what, count] : far_.happened())
        std::cerr << "the cloud " << what << ": " << count << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Of, BadDay,
    ::testing::Values(Story{"ACloudThatDoesEverythingBadly",
                            {.hangs = 12, .lags = 20, .throttles = 12, .drops = 12, .fails = 6},
                            "15s",
                            16.5,
                            150s,
                            false},
                      Story{"ACloudThatHangsAllTheTime", {.hangs = 100}, "2s", 2.2, 125s, true},
                      Story{"ACloudThatLagsThrottlesFailsAndDrops",
                            {.lags = 20, .throttles = 20, .drops = 20, .fails = 10},
                            "5s",
                            5.5,
                            125s,
                            false},
                      Story{"ACloudThatBlocksItsThreadForAMinute",
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
