#include <csignal>

#include "drain_fixture.hpp"

namespace capstan::e2e {
namespace {

struct ControlPlaneLeadership : DrainTest {
    /// Waits until the daemon responds, as standby or leader.
    static bool responds(const Daemon& daemon) {
        return becomes(60s, [&] { return daemon.get("/api/v2/status").has_value(); });
    }
};

TEST_F(ControlPlaneLeadership, PassesToTheStandbyIfTheLeaderIsKilled) {
    Daemon first(*cluster, "first", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return !holder().empty(); }));
    const std::string leader = holder();
    const Daemon second(*cluster, "second", cloud_in({"a"}));
    ASSERT_TRUE(responds(second));
    EXPECT_EQ(holder(), leader);
    first.process().end(SIGKILL);
    EXPECT_TRUE(becomes(60s, [&] { return holder() != leader; }));
    cluster->apply(deployment(5, "1500m"));
    EXPECT_TRUE(becomes(60s, [&] { return second.target() == 3; })) << second.target();
}

TEST_F(ControlPlaneLeadership, LetsTheStandbyCompleteADrainOfAKilledLeader) {
    Daemon first(*cluster, "first", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return !holder().empty(); }));
    const Daemon second(*cluster, "second", cloud_in({"a"}));
    ASSERT_TRUE(responds(second));
    ASSERT_NO_FATAL_FAILURE(begin_drain(first));
    first.process().end(SIGKILL);
    release_pods();
    expect_drain_end(second);
}

TEST_F(ControlPlaneLeadership, IsReleasedAtShutdown) {
    Daemon daemon(*cluster, "stop", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return !holder().empty(); }));
    EXPECT_EQ(daemon.process().end(SIGTERM), 0);
    EXPECT_EQ(holder(), "");
}

}  // namespace
}  // namespace capstan::e2e
