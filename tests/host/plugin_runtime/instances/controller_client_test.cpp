#include "plugin_runtime/instances/controller_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../test_host.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Records when it is called; tests set its behaviour.
struct TestController {
    explicit TestController(const Host& host, const Settings&) : host_(host) { made = this; }
    Task<Reconciled> reconcile(Reconcile what) {
        calls.push_back(host_.monotonic());
        firsts += what.is_first ? 1 : 0;
        const Result<Reconciled> current = answer;
        co_await sleep_for(host_, takes);
        ++ends;
        co_return current;
    }
    void request(Duration within) { EXPECT_TRUE(want_reconcile(host_, within)); }

    Host host_;
    static inline TestController* made = nullptr;
    static inline std::vector<Duration> calls;
    static inline int firsts = 0, ends = 0;
    static inline Duration takes{};
    static inline Result<Reconciled> answer{Reconciled{}};
};

services::InstanceIdentity controller_identity() {
    services::InstanceIdentity out = identity("mirror");
    out.is_controller = true;
    return out;
}

struct ControllerClientTest : ::testing::Test {
    TestHost host;
    Running<TestController> running{host, controller_identity()};
    std::shared_ptr<ControllerClient> client = ControllerClient::of(running.shared()).value();

    ControllerClientTest() {
        TestController::calls.clear();
        TestController::firsts = TestController::ends = 0;
        TestController::takes = 0s;
        TestController::answer = Reconciled{.objects = 2, .summary = "manages 2"};
    }
    std::size_t calls() const { return TestController::calls.size(); }
    void advance(Duration time) { host.loop.advance(time); }
};

TEST_F(ControllerClientTest, CallsReconcileWhileLeading) {
    TestController::made->request(0s);
    advance(1h);
    EXPECT_EQ(calls(), 0u);
    client->lead(true);
    advance(1s);
    EXPECT_EQ(calls(), 1u);
    EXPECT_EQ(TestController::firsts, 1);
    client->lead(false);
    TestController::made->request(0s);
    advance(1h);
    EXPECT_EQ(calls(), 1u);
    client->lead(true);
    advance(1s);
    EXPECT_EQ(TestController::firsts, 2);
}

TEST_F(ControllerClientTest, CombinesRequestsForReconcile) {
    client->lead(true);
    advance(1s);
    TestController::made->request(2s);
    TestController::made->request(5s);
    advance(1s);
    TestController::made->request(4s);
    EXPECT_EQ(calls(), 1u);
    advance(1s);
    EXPECT_EQ(calls(), 2u);
    advance(1min);
    EXPECT_EQ(calls(), 2u);
}

TEST_F(ControllerClientTest, CallsAgainWhenRequestedOrAfterTenMinutes) {
    TestController::answer = Reconciled{.again_in = 30s};
    client->lead(true);
    advance(91s);
    EXPECT_EQ(calls(), 4u);
    TestController::answer = Reconciled{};
    advance(30s);
    EXPECT_EQ(calls(), 5u);
    advance(9min);
    EXPECT_EQ(calls(), 5u);
    advance(1min);
    EXPECT_EQ(calls(), 6u);
}

TEST_F(ControllerClientTest, CallsOnceAtATimeAndAgainIfRequestedMeanwhile) {
    TestController::takes = 5s;
    client->lead(true);
    advance(1s);
    TestController::made->request(0s);
    advance(3s);
    EXPECT_EQ(calls(), 1u);
    advance(2s);
    EXPECT_EQ(calls(), 2u);
}

TEST_F(ControllerClientTest, BacksOffWhileCallsFail) {
    TestController::answer = fail(ErrorCode::unavailable, "no server");
    client->lead(true);
    advance(10s);
    EXPECT_EQ(calls(), 4u);  // at 0, 1, 3 and 7 seconds
    const ControllerStatus status = client->status();
    EXPECT_EQ(status.failures, 4u);
    EXPECT_THAT(status.error->message, HasSubstr("no server"));
    advance(10min);
    EXPECT_LT(calls(), 20u);
}

TEST_F(ControllerClientTest, CancelsTheCallWhenLeadershipIsLost) {
    TestController::takes = 50s;
    client->lead(true);
    advance(1s);
    client->lead(false);
    advance(10s);
    EXPECT_FALSE(client->status().is_leading);
    ASSERT_TRUE(client->status().error);
}

TEST_F(ControllerClientTest, EndsACallAtItsDeadline) {
    TestController::takes = 1h;
    client->lead(true);
    advance(2min);
    EXPECT_GE(client->status().failures, 1u);
}

TEST_F(ControllerClientTest, ReportsTheResultOfTheLastCall) {
    client->lead(true);
    advance(1s);
    const ControllerStatus status = client->status();
    EXPECT_TRUE(status.is_leading);
    EXPECT_EQ(status.reconciles, 1u);
    ASSERT_TRUE(status.last);
    EXPECT_EQ(status.last->objects, 2);
    EXPECT_EQ(status.last->summary, "manages 2");
    EXPECT_THAT(status.last->problems, IsEmpty());
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
