#include <csignal>

#include "drains.hpp"

namespace capstan::e2e {
namespace {

struct Leadership : Drains {
    /// Until it answers: it stands by, or leads.
    static bool answers(const Daemon& daemon) {
        return becomes(60s, [&] { return daemon.ask("/api/v2/status").has_value(); });
    }
};

TEST_F(Leadership, AKilledLeaderIsFollowedByTheOneWhoStoodBy) {
    Daemon first(*cluster, "first", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return !holder().empty(); }));
    const std::string leader = holder();
    const Daemon second(*cluster, "second", cloud_in({"a"}));
    ASSERT_TRUE(answers(second));
    EXPECT_EQ(holder(), leader);
    first.process().end(SIGKILL);
    EXPECT_TRUE(becomes(60s, [&] { return holder() != leader; }));
    cluster->apply(deployment(5, "1500m"));
    EXPECT_TRUE(becomes(60s, [&] { return second.target() == 3; })) << second.target();
}

TEST_F(Leadership, TheOneWhoStoodByEndsTheDrainThatAKilledLeaderBegan) {
    Daemon first(*cluster, "first", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return !holder().empty(); }));
    const Daemon second(*cluster, "second", cloud_in({"a"}));
    ASSERT_TRUE(answers(second));
    ASSERT_NO_FATAL_FAILURE(begin(first));
    first.process().end(SIGKILL);
    let_go();
    expect_end(second);
}

TEST_F(Leadership, OneWhoStopsHandsTheLeaseBack) {
    Daemon daemon(*cluster, "stop", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return !holder().empty(); }));
    EXPECT_EQ(daemon.process().end(SIGTERM), 0);
    EXPECT_EQ(holder(), "");
}

}  // namespace
}  // namespace capstan::e2e
