#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "control_plane_fixture.hpp"

namespace capstan::e2e {
namespace {

struct ApiServerOutage : ControlPlaneTest {
    /// Applies objects as soon as the API server accepts them.
    void apply(const std::string& yaml) const {
        ASSERT_TRUE(becomes(120s, [&] {
            try {
                cluster->apply(yaml);
                return true;
            } catch (const std::runtime_error&) {
                return false;
            }
        }));
    }
    /// A command that requests /readyz up to fifty times a second until the status is 200, then
    /// writes the time.
    std::vector<std::string> readiness_watch() const {
        const auto file = [this](const char* name) {
            return (cluster->control_plane() / name).string();
        };
        const std::string server = cluster->kubectl(
            {"config", "view", "--minify", "--output=jsonpath={.clusters[0].cluster.server}"});
        const std::string request =
            "curl --silent --fail --max-time 1 --output /dev/null --cacert " +
            file("authority.crt") + " --cert " + file("admin.crt") + " --key " + file("admin.key") +
            " " + server + "/readyz";
        const std::string written = ready_at().string();
        const std::string format = "+%s%3N";
        return {"bash", "-c",
                "until " + request + "; do sleep 0.02; done; date -u " + format + " >" + written +
                    ".new; mv " + written + ".new " + written};
    }
    std::filesystem::path ready_at() const { return cluster->folder() / "ready-at"; }
    /// When the API server first reported that it is ready, in ms since 1970.
    std::int64_t readiness() const {
        std::int64_t out = 0;
        std::ifstream(ready_at()) >> out;
        return out;
    }
    /// Stops the API server for `downtime`. Expects that within 5 s after it is ready again the
    /// daemon leads, watches all kinds, and has begun a pass. `meanwhile` is called as soon as the
    /// server is started.
    void restart_and_expect_recovery(
        const Daemon& daemon, Seconds downtime = Seconds(2),
        const std::function<void()>& meanwhile = [] {}) const {
        const std::vector<std::string> watch = readiness_watch();
        std::filesystem::remove(ready_at());
        cluster->restart_api_server(downtime);
        const Process watcher(watch, Process::Variables{}, cluster->folder() / "readiness.log");
        meanwhile();
        ASSERT_TRUE(becomes(60s, [&] { return std::filesystem::exists(ready_at()); }));
        const std::int64_t ready = readiness();
        ASSERT_TRUE(becomes(30s, [&] { return daemon.works_since(ready); }));
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const std::int64_t took = now / std::chrono::milliseconds(1) - ready;
        EXPECT_LE(took, 5000) << "ms after the first 200 of /readyz";
        std::cout << "works again after " << took << " ms\n";
    }
};

TEST_F(ApiServerOutage, IsSurvivedByADaemon) {
    const Daemon daemon(*cluster, "outage", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return daemon.target() == 0; }));
    cluster->restart_api_server();
    apply(deployment(5, "1500m"));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 5; }));
    EXPECT_EQ(daemon.target(), 3);
}

TEST_F(ApiServerOutage, IsOverWithinSecondsForEachOfThreeRestarts) {
    const Daemon daemon(*cluster, "restarts", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return daemon.target() == 0; }));
    for (int i = 0; i < 3; ++i) restart_and_expect_recovery(daemon);
}

/// Three empty nodes. As soon as the API server responds again, each gets a pod with a budget that
/// allows no disruption. No node is removed, and the daemon works again within seconds.
struct LongApiServerOutage : ApiServerOutage, ::testing::WithParamInterface<int> {
    std::string bound_pods() const {
        std::string out = budget(3);
        for (const NodeView& node : cluster->nodes())
            out += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: on-" + node.name +
                   ", labels: {app: web}}\nspec: {nodeName: " + node.name +
                   ", containers: [{name: main, image: web}]}\n";
        return out;
    }
};

TEST_P(LongApiServerOutage, RemovesNoNodeThatHasPods) {
    const Daemon daemon(*cluster, "outage", cloud_in({"a"}, 3, "20s"));
    cluster->apply(deployment(6, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return ready_pods() == 6 && has_ready_nodes(3); }));
    const std::string pods = bound_pods();
    scale(0);
    ASSERT_TRUE(becomes(60s, [&] { return ready_pods() == 0; }));
    restart_and_expect_recovery(daemon, Seconds(GetParam()), [&] { apply(pods); });
    // Twice the unneeded time.
    EXPECT_FALSE(becomes(40s, [&] { return cluster->nodes().size() != 3; }));
    EXPECT_THAT(
        cluster->kubectl({"get", "pods", "--output=name"}),
        ::testing::AllOf(::testing::HasSubstr("on-web-a-1"), ::testing::HasSubstr("on-web-a-2"),
                         ::testing::HasSubstr("on-web-a-3")));
}

INSTANTIATE_TEST_SUITE_P(Seconds, LongApiServerOutage, ::testing::Values(10, 30, 75));

/// The number of relists of all kinds.
std::int64_t relists(const Daemon& daemon) {
    const std::optional<boost::json::value> status = daemon.get("/api/v2/status");
    if (!status) return 0;
    std::int64_t out = 0;
    for (const boost::json::value& kind : status->at("kinds").as_array())
        out += kind.at("relists").to_number<std::int64_t>();
    return out;
}

TEST_F(ApiServerOutage, IsFollowedByARelistIfTheHistoryIsCompacted) {
    const Daemon daemon(*cluster, "history", cloud_in({"a"}));
    cluster->apply(deployment(5, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return ready_pods() == 5; }));
    EXPECT_EQ(relists(daemon), 0);
    // Open watches are not affected; a watch that is opened again requests a compacted version.
    cluster->forget_history();
    cluster->restart_api_server();
    apply(deployment(9, "1500m"));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 9; }));
    EXPECT_TRUE(becomes(60s, [&] { return relists(daemon) > 0; }));
    apply(deployment(2, "1500m"));
    EXPECT_TRUE(becomes(120s, [&] { return has_ready_nodes(1); }));
    EXPECT_EQ(ready_pods(), 2);
}

}  // namespace
}  // namespace capstan::e2e
