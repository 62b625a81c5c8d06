#include "kubernetes/client/writes/lease.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fake_lease.hpp"
#include "kubernetes/base/json_path.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

/// A candidate with its own connection to the server.
struct Candidate {
    Candidate(io::ManualLoop& loop, FakeLease& lease, const std::string& identity)
        : api(loop), server(lease) {
        connect();
        elector.emplace(
            api, loop,
            LeaderElector::Options{
                .ns = "kube-system",
                .identity = identity,
                .seed = std::hash<std::string>{}(identity),
                .on_started = [this] { seen += "+"; },
                .on_stopped = [this] { seen += "-"; },
                .on_new_leader = [this](const std::string& id) { seen += "(" + id + ")"; },
                .on_error = [this](const Error&) { ++errors; }});
        elector->start();
    }
    void connect() {
        api.automatic = [this](const ScriptedApi::Asked& asked) { return server.answer(asked); };
    }
    /// From now on the test answers requests.
    void disconnect() { api.automatic = nullptr; }
    void refuse(Answer what) {
        api.automatic = [what](const ScriptedApi::Asked&) { return what; };
    }
    bool leads() const { return elector->is_leader(); }

    ScriptedApi api;
    FakeLease& server;
    std::string seen;
    int errors = 0;
    std::optional<LeaderElector> elector;
};

struct LeaderElection : ::testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock =
        std::make_shared<io::ManualClock>(Time(1'700'000'000s));
    io::ManualLoop loop{io, clock};
    FakeLease lease;
    Candidate a{loop, lease, "a"};

    /// Advances in steps of 100 ms until `done`. Returns the elapsed time.
    template <class Done>
    Duration until(Done done, Duration limit = 1min) {
        Duration taken{};
        for (; !done() && taken < limit; taken += 100ms) loop.advance(100ms);
        return taken;
    }
};

TEST_F(LeaderElection, CreatesAMissingLeaseAndLeads) {
    loop.advance(0s);
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(a.seen, "(a)+");
    EXPECT_EQ(*lease.lease, boost::json::parse(R"({"apiVersion":"coordination.k8s.io/v1",
        "kind":"Lease","metadata":{"name":"cluster-autoscaler","namespace":"kube-system",
        "resourceVersion":"1"},"spec":{"holderIdentity":"a","leaseDurationSeconds":15,
        "acquireTime":"2023-11-14T22:13:20.000000Z","renewTime":"2023-11-14T22:13:20.000000Z",
        "leaseTransitions":0}})"));
}

TEST_F(LeaderElection, RenewsEveryTwoSecondsWithoutReading) {
    loop.advance(0s);
    const std::size_t before = a.api.asked().size();
    loop.advance(20s);
    EXPECT_EQ(a.api.asked().size(), before + 10);
    EXPECT_EQ(a.api.last().line(),
              "PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/"
              "leases/cluster-autoscaler");
    EXPECT_EQ(base::text_at(*lease.lease, "spec.acquireTime"), "2023-11-14T22:13:20.000000Z");
    EXPECT_EQ(base::text_at(*lease.lease, "spec.renewTime"), "2023-11-14T22:13:40.000000Z");
    EXPECT_EQ(a.seen, "(a)+");
}

TEST_F(LeaderElection, HasOneLeaderAndAStandby) {
    loop.advance(0s);
    Candidate b(loop, lease, "b");
    loop.advance(10min);
    EXPECT_TRUE(a.leads());
    EXPECT_FALSE(b.leads());
    EXPECT_EQ(b.seen, "(a)");
    EXPECT_EQ(lease.transitions(), 0);
}

TEST_F(LeaderElection, PassesToTheStandbyAfterTheLeaseExpires) {
    loop.advance(0s);
    Candidate b(loop, lease, "b");
    loop.advance(1min);
    a.elector.reset();
    const Duration taken = until([&] { return b.leads(); });
    EXPECT_GE(taken, 12s);
    EXPECT_LE(taken, 15s + 2s * 2.2 + 2s);
    EXPECT_EQ(b.seen, "(a)(b)+");
    EXPECT_EQ(lease.transitions(), 1);
}

TEST_F(LeaderElection, PassesToTheStandbyAtOnceIfTheLeaderReleasesTheLease) {
    loop.advance(0s);
    Candidate b(loop, lease, "b");
    loop.advance(1min);
    bool has_stopped = false;
    a.elector->stop([&] { has_stopped = true; });
    EXPECT_FALSE(a.leads());
    EXPECT_EQ(a.seen, "(a)+-");
    loop.advance(0s);
    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(lease.holder(), "");
    EXPECT_EQ(base::integer_at(*lease.lease, "spec.leaseDurationSeconds"), 1);
    EXPECT_LE(until([&] { return b.leads(); }), 2s * 2.2 + 1s);
    EXPECT_EQ(lease.transitions(), 1);
}

TEST_F(LeaderElection, IgnoresTheClocksOfOthers) {
    loop.advance(0s);
    for (const char* other : {"1999-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z", "?"}) {
        SCOPED_TRACE(other);
        Candidate b(loop, lease, "b");
        // `a` renews the lease as usual, but its renewTime is from a clock with another time.
        a.api.automatic = [&](const ScriptedApi::Asked& asked) {
            const Answer answer = lease.answer(asked);
            base::make_object(*lease.lease, "spec")["renewTime"] =
                other + std::to_string(lease.writes);
            return answer;
        };
        loop.advance(1min);
        EXPECT_TRUE(a.leads());
        EXPECT_FALSE(b.leads());
        a.connect();
    }
}

TEST_F(LeaderElection, EndsBeforeAnotherCandidateCanLead) {
    loop.advance(0s);
    Candidate b(loop, lease, "b");
    loop.advance(1min);
    a.disconnect();
    bool both = false;
    const Duration ended = until([&] { return !a.leads(); });
    EXPECT_LE(ended, 10s);
    until([&] {
        both = both || (a.leads() && b.leads());
        return b.leads();
    });
    EXPECT_FALSE(both);
    EXPECT_EQ(a.seen, "(a)+-");
    EXPECT_TRUE(b.leads());
}

TEST_F(LeaderElection, SurvivesAShortOutage) {
    loop.advance(0s);
    a.refuse(refusal(503, "ServiceUnavailable"));
    loop.advance(7s);
    a.connect();
    loop.advance(3s);
    EXPECT_EQ(a.seen, "(a)+");
    EXPECT_GT(a.errors, 0);
    EXPECT_EQ(lease.transitions(), 0);
}

TEST_F(LeaderElection, IgnoresARenewalThatIsExecutedAfterTheDeadline) {
    loop.advance(0s);
    a.disconnect();
    loop.advance(2s);
    const auto renewal = a.api.first();
    loop.advance(9s);
    EXPECT_EQ(a.seen, "(a)+-");
    // The server executed it; that alone does not make a host the leader.
    lease.answer(renewal);
    EXPECT_FALSE(a.leads());
    EXPECT_TRUE(a.api.asked()[renewal.id - 1].is_cancelled);
}

TEST_F(LeaderElection, IsLostIfTheProcessWasSuspendedForTooLong) {
    loop.advance(0s);
    clock->advance_to(clock->monotonic() + 11s);
    EXPECT_FALSE(a.leads());
}

TEST_F(LeaderElection, IsRegainedIfNoOtherCandidateHasLed) {
    loop.advance(0s);
    a.disconnect();
    loop.advance(11s);
    a.connect();
    loop.advance(10s);
    EXPECT_EQ(a.seen, "(a)+-+");
    EXPECT_EQ(lease.transitions(), 0) << "no other holder";
}

TEST_F(LeaderElection, EndsAtOnceIfTheLeaseIsTakenByForce) {
    loop.advance(0s);
    base::make_object(*lease.lease, "spec")["holderIdentity"] = "operator";
    base::make_object(*lease.lease, "metadata")["resourceVersion"] = std::to_string(++lease.writes);
    loop.advance(2s);
    EXPECT_EQ(a.seen, "(a)+-(operator)");
    EXPECT_EQ(lease.holder(), "operator");
}

TEST_F(LeaderElection, SurvivesForeignWritesAndDeletionOfTheLease) {
    loop.advance(0s);
    base::make_object(*lease.lease, "metadata")["resourceVersion"] = std::to_string(++lease.writes);
    loop.advance(2s);
    lease.lease.reset();
    loop.advance(2s);
    EXPECT_EQ(a.seen, "(a)+");
    EXPECT_EQ(lease.holder(), "a");
}

TEST_F(LeaderElection, KeepsUnknownFields) {
    loop.advance(0s);
    a.elector.reset();
    base::make_object(*lease.lease, "spec")["strategy"] = "OldestEmulationVersion";
    base::make_object(*lease.lease, "metadata")["labels"] = boost::json::object{{"theirs", "1"}};
    Candidate b(loop, lease, "b");
    until([&] { return b.leads(); });
    EXPECT_EQ(base::text_at(*lease.lease, "spec.strategy"), "OldestEmulationVersion");
    EXPECT_EQ(base::text_at(*lease.lease, "metadata.labels.theirs"), "1");
    EXPECT_EQ(lease.transitions(), 1);
}

TEST_F(LeaderElection, IsWonByOneOfTwoSimultaneousCandidates) {
    Candidate b(loop, lease, "b");
    loop.advance(1min);
    EXPECT_NE(a.leads(), b.leads());
    EXPECT_EQ(a.seen.find('-'), std::string::npos);
    EXPECT_EQ(b.seen.find('-'), std::string::npos);
}

TEST_F(LeaderElection, RetriesAfterAnyError) {
    for (const int status : {400, 401, 403, 409, 422, 429, 500, 503, 504}) {
        SCOPED_TRACE(status);
        lease.lease.reset();
        Candidate b(loop, lease, "b");
        a.elector.reset();
        b.refuse(refusal(status, "Whatever"));
        loop.advance(30s);
        EXPECT_EQ(b.seen, "");
        EXPECT_EQ(b.errors > 0, status != 409);
        b.connect();
        loop.advance(5s);
        EXPECT_TRUE(b.leads());
    }
}

TEST_F(LeaderElection, ReleasesTheLeaseDespiteAConflictWithinTheDeadline) {
    loop.advance(0s);
    base::make_object(*lease.lease, "metadata")["resourceVersion"] = std::to_string(++lease.writes);
    bool has_stopped = false;
    a.elector->stop([&] { has_stopped = true; });
    loop.advance(1s);
    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(lease.holder(), "");

    Candidate b(loop, lease, "b");
    until([&] { return b.leads(); });
    b.disconnect();
    bool b_has_stopped = false;
    b.elector->stop([&] { b_has_stopped = true; });
    loop.advance(9s);
    EXPECT_FALSE(b_has_stopped);
    loop.advance(1s);
    EXPECT_TRUE(b_has_stopped);
}

TEST_F(LeaderElection, DoesNotReleaseTheLeaseOfAnother) {
    loop.advance(0s);
    Candidate b(loop, lease, "b");
    loop.advance(5s);
    const int writes = lease.writes;
    bool has_stopped = false;
    b.elector->stop([&] { has_stopped = true; });
    loop.advance(0s);
    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(lease.writes, writes);
    EXPECT_EQ(lease.holder(), "a");
}

TEST(LeaderElector, RejectsInvalidOptions) {
    using Options = LeaderElector::Options;
    const Options good{.ns = "kube-system", .identity = "a"};
    EXPECT_TRUE(LeaderElector::check(good));
    const auto with = [&](auto change) {
        Options options = good;
        change(options);
        return LeaderElector::check(options).has_value();
    };
    EXPECT_FALSE(with([](Options& o) { o.identity = ""; }));
    EXPECT_FALSE(with([](Options& o) { o.ns = ""; }));
    EXPECT_FALSE(with([](Options& o) { o.renew_deadline = o.lease_duration; }));
    EXPECT_FALSE(with([](Options& o) { o.retry_period = 8334ms; }));
    EXPECT_TRUE(with([](Options& o) { o.retry_period = 8333ms; }));
    EXPECT_FALSE(with([](Options& o) { o.retry_period = 0s; }));
}

}  // namespace
}  // namespace capstan::kubernetes::client
