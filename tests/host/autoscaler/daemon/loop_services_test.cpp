#include "autoscaler/daemon/loop_services.hpp"

#include <gmock/gmock.h>

#include <string>

#include "live_cluster.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

/// A start whose requests for pods get no reply.
struct BlindStart : ::testing::Test {
    LiveCluster cluster{"", "groups = []", [](LoadedConfig& loaded) {
                            loaded.config.log.level = config::LogLevel::warn;
                        }};
    std::unique_ptr<LoopServices> services =
        LoopServices::open(
            cluster.configuration(), cluster.host(),
            {.version = "test", .identity = "tester", .seed = 1, .http = &cluster.network()})
            .value();

    void SetUp() override {
        for (const char* verb : {"list", "watch"})
            cluster.server->faults().add(
                {.verb = verb,
                 .resource = "pods",
                 .spoil = simulator::api_server::ResponseCorruption::silence,
                 .times = std::nullopt});
        services->start();
    }
    void advance(Duration time) { cluster.host().virtual_loop()->advance(time); }
    /// The log lines about the start meanwhile.
    std::string logged_within(Duration time) {
        ::testing::internal::CaptureStderr();
        advance(time);
        return ::testing::internal::GetCapturedStderr();
    }
};

TEST_F(BlindStart, NamesWhatItWaitsFor) {
    advance(10s);
    EXPECT_EQ(services->unready_because(),
              "waiting for the cluster caches to sync: Pod: the list is not complete");
    advance(2min);
    EXPECT_THAT(
        services->unready_because(),
        EndsWith("Pod: GET /api/v1/pods: not done within 60000 ms: waiting for a response"));
    cluster.server->faults().clear();
    advance(2min);
    EXPECT_EQ(services->unready_because(), "");
}

TEST_F(BlindStart, IsLoggedEvery30Seconds) {
    EXPECT_THAT(logged_within(29s), Not(HasSubstr("synced")));
    EXPECT_THAT(logged_within(2s), HasSubstr("warn  capstan: the cluster caches have not synced "
                                             "for 30s: Pod: the list is not complete\n"));
    EXPECT_THAT(logged_within(28s), Not(HasSubstr("synced")));
    EXPECT_THAT(logged_within(2s), HasSubstr("have not synced for 1m: Pod: "));
    cluster.server->faults().clear();
    EXPECT_THAT(logged_within(90s), HasSubstr("have not synced for 1m30s: Pod: "));
    EXPECT_THAT(logged_within(2min), Not(HasSubstr("synced")));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
