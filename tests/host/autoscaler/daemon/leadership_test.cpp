#include "autoscaler/daemon/leadership.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/client/writes/fake_lease.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using kubernetes::client::FakeLease;
using kubernetes::client::ScriptedApi;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

/// A candidate for leadership with its own connection to the API server.
struct Candidate {
    Candidate(io::ManualLoop& loop, plugin_runtime::services::Logger& log, FakeLease& lease,
              const std::string& identity, bool is_alone = false)
        : api(loop),
          server(lease),
          leadership({}, api, loop, log,
                     {.identity = identity,
                      .seed = identity.size(),
                      .is_alone = is_alone,
                      .on_change = [this] { terms.push_back(leadership.term()); }}) {
        connect();
    }
    void connect() {
        api.automatic = [this](const ScriptedApi::Asked& asked) { return server.answer(asked); };
    }
    /// Makes every further request fail.
    void refuse() {
        api.automatic = [](const ScriptedApi::Asked&) {
            return kubernetes::client::refusal(503, "ServiceUnavailable",
                                               "the server is unavailable");
        };
    }
    /// Leaves further requests without a response.
    void disconnect() { api.automatic = nullptr; }

    ScriptedApi api;
    FakeLease& server;
    std::vector<std::optional<std::uint64_t>> terms;  ///< after each change
    Leadership leadership;
};

struct LeadershipTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>(Time(1'700'000'000s))};
    std::vector<std::string> lines;  ///< without their time
    plugin_runtime::services::Logger log{
        config::Log(), loop.clock(),
        [this](std::string_view line) { lines.emplace_back(line.substr(line.find(' ') + 1)); }};
    FakeLease lease;

    std::vector<std::string> take_lines() { return std::exchange(lines, {}); }
};

TEST_F(LeadershipTest, AcquiresTheLeaseAndCountsTerms) {
    Candidate a(loop, log, lease, "a");
    EXPECT_EQ(a.leadership.term(), std::nullopt);
    a.leadership.start();
    loop.advance(1s);
    EXPECT_EQ(a.leadership.term(), 1u);
    EXPECT_EQ(a.leadership.leader(), "a");
    EXPECT_THAT(a.terms, ElementsAre(1u));
}

TEST_F(LeadershipTest, IsAStandbyUntilTheLeaderLosesTheLease) {
    Candidate a(loop, log, lease, "a"), b(loop, log, lease, "bb");
    a.leadership.start();
    loop.advance(1s);
    b.leadership.start();
    loop.advance(1min);
    EXPECT_EQ(a.leadership.term(), 1u);
    EXPECT_EQ(b.leadership.term(), std::nullopt);
    EXPECT_EQ(b.leadership.leader(), "a");
    a.disconnect();
    loop.advance(1min);
    EXPECT_EQ(a.leadership.term(), std::nullopt) << "it could not renew the Lease";
    EXPECT_EQ(b.leadership.term(), 1u);
    EXPECT_THAT(a.terms, ElementsAre(1u, std::nullopt));
}

TEST_F(LeadershipTest, LogsFailedRenewalsAndTheirEnd) {
    Candidate a(loop, log, lease, "a");
    a.leadership.start();
    loop.advance(1s);
    take_lines();
    a.refuse();
    loop.advance(5s);
    EXPECT_THAT(
        take_lines(),
        ElementsAre(AllOf(
            StartsWith("warn  leader: cannot acquire or renew the Lease"),
            EndsWith("the server is unavailable; last renewed 2s ago, leader for another 8s"))));
    a.connect();
    loop.advance(2s);
    EXPECT_THAT(take_lines(),
                ElementsAre("info  leader: Lease requests succeed again, after 3 failures in 6s"));
    loop.advance(1min);
    a.refuse();
    loop.advance(2s);
    EXPECT_THAT(take_lines(), ElementsAre(::testing::HasSubstr("cannot acquire or renew")))
        << "another outage, counted separately";
    a.connect();
    loop.advance(2s);
    EXPECT_THAT(take_lines(),
                ElementsAre("info  leader: Lease requests succeed again, after 1 failure in 2s"));
    EXPECT_THAT(a.terms, ElementsAre(1u));
}

TEST_F(LeadershipTest, LogsForHowLongALostLeaseWasNotRenewed) {
    Candidate a(loop, log, lease, "a");
    a.leadership.start();
    loop.advance(1s);
    take_lines();
    a.disconnect();
    loop.advance(15s);
    EXPECT_THAT(take_lines(), ElementsAre("warn  leader: a lost the Lease: not renewed for 10s"));
    a.leadership.stop([] {});
}

TEST_F(LeadershipTest, StartsANewTermIfItGetsTheLeaseBack) {
    Candidate a(loop, log, lease, "a");
    a.leadership.start();
    loop.advance(1s);
    a.disconnect();
    loop.advance(1min);
    ASSERT_EQ(a.leadership.term(), std::nullopt);
    a.connect();
    while (a.api.open_count() > 0)
        a.api.fail(Error{ErrorCode::unavailable, "the connection is lost"});
    loop.advance(1min);
    EXPECT_EQ(a.leadership.term(), 2u) << "decisions of the first term are dropped";
}

TEST_F(LeadershipTest, ReleasesTheLeaseWhenItStops) {
    Candidate a(loop, log, lease, "a"), b(loop, log, lease, "bb");
    a.leadership.start();
    loop.advance(1s);
    b.leadership.start();
    loop.advance(1s);
    bool has_stopped = false;
    a.leadership.stop([&] { has_stopped = true; });
    EXPECT_EQ(a.leadership.term(), std::nullopt) << "immediately, whatever the server returns";
    EXPECT_FALSE(has_stopped);
    loop.advance(0s);
    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(lease.holder(), "");
    loop.advance(4s);
    EXPECT_EQ(b.leadership.term(), 1u) << "without waiting for the Lease to expire";
}

TEST_F(LeadershipTest, HandsTheLeaseOverToAStandby) {
    Candidate a(loop, log, lease, "a"), b(loop, log, lease, "bb");
    a.leadership.start();
    loop.advance(1s);
    b.leadership.start();
    loop.advance(1s);
    EXPECT_TRUE(a.leadership.hand_over("a plugin is stuck", 30s));
    EXPECT_EQ(a.leadership.term(), std::nullopt) << "immediately";
    EXPECT_FALSE(a.leadership.hand_over("a plugin is stuck", 30s)) << "it holds no Lease";
    loop.advance(10s);
    EXPECT_EQ(b.leadership.term(), 1u);
    loop.advance(1min);
    EXPECT_EQ(a.leadership.term(), std::nullopt);
    EXPECT_EQ(a.leadership.leader(), "bb") << "it is a candidate again";
}

TEST_F(LeadershipTest, AcquiresTheLeaseAgainIfThereIsNoOtherHost) {
    Candidate a(loop, log, lease, "a");
    a.leadership.start();
    loop.advance(1s);
    a.leadership.hand_over("a plugin is stuck", 30s);
    loop.advance(29s);
    EXPECT_EQ(lease.holder(), "");
    loop.advance(5s);
    EXPECT_EQ(a.leadership.term(), 2u);
    a.leadership.hand_over("a plugin is stuck", 30s);
    loop.advance(1s);
    a.leadership.come_back();
    loop.advance(1s);
    EXPECT_EQ(a.leadership.term(), 3u) << "the thread is no longer blocked";
}

TEST_F(LeadershipTest, StopsDuringAndAfterAHandover) {
    for (const Duration between : {0s, 5s}) {
        FakeLease own;
        Candidate a(loop, log, own, "a");
        a.leadership.start();
        loop.advance(1s);
        a.leadership.hand_over("a plugin is stuck", 30s);
        if (between > 0s) loop.advance(between);
        bool has_stopped = false;
        a.leadership.stop([&] { has_stopped = true; });
        EXPECT_FALSE(has_stopped);
        loop.advance(1s);
        EXPECT_TRUE(has_stopped);
        EXPECT_EQ(own.holder(), "");
        loop.advance(1min);
        EXPECT_EQ(a.leadership.term(), std::nullopt);
    }
}

TEST_F(LeadershipTest, NeedsNoLeaseInADryRun) {
    Candidate a(loop, log, lease, "a", true);
    a.leadership.start();
    loop.advance(1s);
    EXPECT_EQ(a.leadership.term(), 1u);
    EXPECT_THAT(a.api.asked(), IsEmpty());
    EXPECT_THAT(
        take_lines(),
        ElementsAre("info  leader: a runs as a dry run: actions are logged, not carried out"));
    bool has_stopped = false;
    a.leadership.stop([&] { has_stopped = true; });
    loop.advance(0s);
    EXPECT_TRUE(has_stopped);
    EXPECT_THAT(take_lines(), IsEmpty()) << "it never held the Lease";
    EXPECT_EQ(a.leadership.term(), std::nullopt);
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
