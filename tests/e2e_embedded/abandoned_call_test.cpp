// A plugin's call that never returns keeps memory that the daemon cannot free. If the daemon then
// uses more than watchdog.memory_max, it logs the call and ends with exit code 4, and the next
// daemon continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "embedded_cluster.hpp"
#include "live_shop.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A second group, so that expanders are called.
const std::string second_group = R"(
[[group]]
id = "other"
max = 8
boot = "1s"
machine = { cpu = "8", memory = "16Gi" }
)";

TEST(AbandonedPluginCall, EndsTheDaemonAboveTheMemoryLimit) {
    EmbeddedCluster cluster(live_shop + second_group);
    // The daemon always uses more than 1 MiB, so it ends after the first abandoned call.
    std::ofstream(cluster.config(), std::ios::app)
        << "\n[watchdog]\nmemory_max = '1Mi'\n[trust]\nsearch_paths = ['"
        << commands::misbehaving().parent_path().string()
        << "']\n[plugin.vendor]\nfile = 'misbehaving.so'\nclass = 'hangs'\n"
           "limits = { call_deadline = '100ms' }\n";
    replace_in(cluster.config(), "[\"least_waste\"]", "[\"vendor\", \"least_waste\"]");
    {
        Daemon daemon(cluster, "daemon");
        EXPECT_TRUE(becomes(60s, [&] { return !daemon.process().is_running(); })) << daemon.log();
        EXPECT_EQ(daemon.process().end(SIGKILL), 4);
        EXPECT_THAT(daemon.log(),
                    HasSubstr("plugin vendor: filter timed out and has not returned"));
    }
    replace_in(cluster.config(), "memory_max = '1Mi'", "memory_max = '64Gi'");
    Daemon restarted(cluster, "restarted");
    cluster.api().scale("web", 4);
    EXPECT_TRUE(becomes(90s, [&] { return cluster.api().ready_pods("web") == 4; }))
        << restarted.log();
    EXPECT_TRUE(restarted.process().is_running());
    const Api admin = restarted.admin();
    EXPECT_THAT(admin.answer("/metrics").body,
                HasSubstr("capstan_plugin_skipped_hooks{hook=\"filter\",plugin=\"vendor\"} 1"));
    EXPECT_THAT(admin.answer("/api/v2/plugins").body,
                HasSubstr(R"("skipped_hooks":[{"hook":"filter")"));
    EXPECT_THAT(restarted.log(),
                HasSubstr("vendor: filter is skipped: it did not return within its deadline of 100 "
                          "ms; its on_error in pipeline.scale_up.expanders applies"));
}

}  // namespace
}  // namespace capstan::e2e
