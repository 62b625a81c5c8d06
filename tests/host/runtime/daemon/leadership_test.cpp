#include "runtime/daemon/leadership.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/client/writes/fake_lease.hpp"

namespace capstan::runtime::daemon {
namespace {

using kubernetes::client::FakeLease;
using kubernetes::client::ScriptedApi;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

/// A candidate for leadership with its own way to the server that has the Lease.
struct Candidate {
    Candidate(io::ManualLoop& loop, services::Logger& log, FakeLease& lease,
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
    /// From now on every request fails.
    void refuse() {
        api.automatic = [](const ScriptedApi::Asked&) {
            return kubernetes::client::refusal(503, "ServiceUnavailable", "the server is away");
        };
    }
    /// From now on nothing is answered.
    void disconnect() { api.automatic = nullptr; }

    ScriptedApi api;
    FakeLease& server;
    std::vector<std::optional<std::uint64_t>> terms;  ///< as they changed
    Leadership leadership;
};

struct Leading : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>(Time(1'700'000'000s))};
    std::vector<std::string> lines;  ///< without their time
    services::Logger log{config::Log(), loop.clock(), [this](std::string_view line) {
                             lines.emplace_back(line.substr(line.find(' ') + 1));
                         }};
    FakeLease lease;

    std::vector<std::string> told() { return std::exchange(lines, {}); }
};

TEST_F(Leading, TakesTheLeaseAndCountsItsTerms) {
    Candidate a(loop, log, lease, "a");
    EXPECT_EQ(a.leadership.term(), std::nullopt);
    a.leadership.start();
    loop.advance(1s);
    EXPECT_EQ(a.leadership.term(), 1u);
    EXPECT_EQ(a.leadership.leader(), "a");
    EXPECT_THAT(a.terms, ElementsAre(1u));
}

TEST_F(Leading, IsAStandbyWhileAnotherHostLeadsAndInTurnAfterIt) {
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

TEST_F(Leading, TellsARenewalThatFailedAndItsEndWithinTheTerm) {
    Candidate a(loop, log, lease, "a");
    a.leadership.start();
    loop.advance(1s);
    told();
    a.refuse();
    loop.advance(5s);
    EXPECT_THAT(told(),
                ElementsAre(AllOf(
                    StartsWith("warn  leader: cannot acquire or renew the Lease"),
                    EndsWith("the server is away; last renewed 2s ago, leader for another 8s"))));
    a.connect();
    loop.advance(2s);
    EXPECT_THAT(told(),
                ElementsAre("info  leader: Lease requests succeed again, after 3 failures in 6s"));
    loop.advance(1min);
    a.refuse();
    loop.advance(2s);
    EXPECT_THAT(told(), ElementsAre(::testing::HasSubstr("cannot acquire or renew")))
        << "another outage, counted by itself";
    a.connect();
    loop.advance(2s);
    EXPECT_THAT(told(),
                ElementsAre("info  leader: Lease requests succeed again, after 1 failure in 2s"));
    EXPECT_THAT(a.terms, ElementsAre(1u));
}

TEST_F(Leading, TellsForHowLongTheLeaseWasNotRenewedWhenItLeadsNoLonger) {
    Candidate a(loop, log, lease, "a");
    a.leadership.start();
    loop.advance(1s);
    told();
    a.disconnect();
    loop.advance(15s);
    EXPECT_THAT(told(), ElementsAre("warn  leader: a lost the Lease: not renewed for 10s"));
    a.leadership.stop([] {});
}

TEST_F(Leading, BeginsAnotherTermWhereItGetsTheLeaseBack) {
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
    EXPECT_EQ(a.leadership.term(), 2u) << "what was decided in the first one counts no more";
}

TEST_F(Leading, HandsTheLeaseBackWhenItStops) {
    Candidate a(loop, log, lease, "a"), b(loop, log, lease, "bb");
    a.leadership.start();
    loop.advance(1s);
    b.leadership.start();
    loop.advance(1s);
    bool has_stopped = false;
    a.leadership.stop([&] { has_stopped = true; });
    EXPECT_EQ(a.leadership.term(), std::nullopt) << "at once, whatever the server says";
    EXPECT_FALSE(has_stopped);
    loop.advance(0s);
    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(lease.holder(), "");
    loop.advance(4s);
    EXPECT_EQ(b.leadership.term(), 1u) << "without waiting for the Lease to run out";
}

TEST_F(Leading, HandsTheLeaseOverToAHostThatWaits) {
    Candidate a(loop, log, lease, "a"), b(loop, log, lease, "bb");
    a.leadership.start();
    loop.advance(1s);
    b.leadership.start();
    loop.advance(1s);
    EXPECT_TRUE(a.leadership.hand_over("a plugin is stuck", 30s));
    EXPECT_EQ(a.leadership.term(), std::nullopt) << "at once";
    EXPECT_FALSE(a.leadership.hand_over("a plugin is stuck", 30s)) << "none is held";
    loop.advance(10s);
    EXPECT_EQ(b.leadership.term(), 1u);
    loop.advance(1min);
    EXPECT_EQ(a.leadership.term(), std::nullopt);
    EXPECT_EQ(a.leadership.leader(), "bb") << "it waits in line again";
}

TEST_F(Leading, TakesTheLeaseAgainWhereNoOtherHostWants) {
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
    EXPECT_EQ(a.leadership.term(), 3u) << "the thread is back";
}

TEST_F(Leading, StopsWhileTheLeaseIsHandedOverAndAfterwards) {
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

TEST_F(Leading, NeedsNoLeaseInADryRun) {
    Candidate a(loop, log, lease, "a", true);
    a.leadership.start();
    loop.advance(1s);
    EXPECT_EQ(a.leadership.term(), 1u);
    EXPECT_THAT(a.api.asked(), IsEmpty());
    EXPECT_THAT(
        told(),
        ElementsAre("info  leader: a runs as a dry run: actions are logged, not carried out"));
    bool has_stopped = false;
    a.leadership.stop([&] { has_stopped = true; });
    loop.advance(0s);
    EXPECT_TRUE(has_stopped);
    EXPECT_THAT(told(), IsEmpty()) << "it never acted";
    EXPECT_EQ(a.leadership.term(), std::nullopt);
}

}  // namespace
}  // namespace capstan::runtime::daemon
