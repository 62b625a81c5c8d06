#include "plugin_runtime/loop/pending_callbacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../test_host.hpp"

namespace capstan::plugin_runtime::loop {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Bound = PendingCallbacks::Bound;

/// At most three callbacks may be open.
struct PendingCallbacksTest : testing::Test {
    TestHost host;
    std::vector<std::string> reports;
    std::vector<capstan_status> called;  ///< the status of each callback, in their order
    int times_empty = 0;
    std::shared_ptr<Strand> strand = std::make_shared<Strand>(host.io, Strand::Options{});
    std::shared_ptr<PendingCallbacks> callbacks = std::make_shared<PendingCallbacks>(
        host.loop, strand,
        std::make_shared<PluginCalls>(
            std::make_shared<CallMarkers>(),
            [this](Hook, const std::string& what) { reports.push_back(what); }),
        PendingCallbacks::Options{.max_open = 3, .blocking = {.threads = 1, .queue = 1}});

    static void note(void* user, capstan_status status) noexcept {
        static_cast<PendingCallbacksTest*>(user)->called.push_back(status);
    }
    capstan_status post() { return callbacks->post(&note, this); }
    capstan_status after(Duration delay, std::uint64_t* timer = nullptr) {
        return callbacks->after(delay, &note, this, timer);
    }
    void when_empty() {
        callbacks->when_empty([this] { ++times_empty; });
    }
};

TEST_F(PendingCallbacksTest, AreRefusedWithoutAFunction) {
    const PendingCallbacks::Work work = [](void*) noexcept {};
    EXPECT_EQ(callbacks->post(nullptr, this), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(callbacks->after(1s, nullptr, this, nullptr), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(callbacks->blocking(nullptr, &note, this), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(callbacks->blocking(work, nullptr, this), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(callbacks->open_count(), 0u);
}

TEST_F(PendingCallbacksTest, AreNeverCalledInsideTheCallThatPostsThem) {
    EXPECT_EQ(post(), CAPSTAN_OK);
    EXPECT_EQ(after(0s), CAPSTAN_OK);
    EXPECT_THAT(called, IsEmpty());
    host.loop.settle();
    host.loop.advance(0s);
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK, CAPSTAN_OK));
}

TEST_F(PendingCallbacksTest, AreRefusedBeyondTheLimitUntilOneHasBeenCalled) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(after(1h), CAPSTAN_OK);
    EXPECT_EQ(post(), CAPSTAN_OK);
    EXPECT_EQ(post(), CAPSTAN_E_BUSY);
    EXPECT_EQ(after(1s), CAPSTAN_E_BUSY);
    EXPECT_EQ(callbacks->accept(), CAPSTAN_E_BUSY);
    EXPECT_EQ(callbacks->blocking([](void*) noexcept {}, &note, this), CAPSTAN_E_BUSY);
    host.loop.settle();
    EXPECT_EQ(post(), CAPSTAN_OK);
    EXPECT_EQ(callbacks->open_count(), 3u);
}

TEST_F(PendingCallbacksTest, OfAServiceHaveALimitOfTheirOwn) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(post(), CAPSTAN_OK);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(callbacks->accept(Bound::service), CAPSTAN_OK);
    EXPECT_EQ(callbacks->open_count(), 8u);
    host.loop.settle();
    EXPECT_EQ(callbacks->open_count(), 5u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(post(), CAPSTAN_OK) << "services do not use the limit";
}

TEST_F(PendingCallbacksTest, OfATimerAreCancelledOnlyOnce) {
    std::uint64_t timer = 0;
    EXPECT_EQ(after(1h, &timer), CAPSTAN_OK);
    EXPECT_EQ(callbacks->cancel_timer(timer), CAPSTAN_OK);
    EXPECT_EQ(callbacks->cancel_timer(timer), CAPSTAN_E_NOT_FOUND);
    EXPECT_THAT(called, IsEmpty()) << "the function is not called inside cancel_timer";
    host.loop.advance(2h);
    EXPECT_THAT(called, ElementsAre(CAPSTAN_E_CANCELLED));
}

TEST_F(PendingCallbacksTest, OfATimerCannotBeCancelledAfterTheyFired) {
    std::uint64_t timer = 0;
    EXPECT_EQ(after(1h, &timer), CAPSTAN_OK);
    host.loop.advance(1h);
    EXPECT_EQ(callbacks->cancel_timer(timer), CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(callbacks->cancel_timer(timer + 1), CAPSTAN_E_NOT_FOUND) << "it never existed";
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK));
}

TEST_F(PendingCallbacksTest, AreCancelledIfTheInstanceClosesBeforeTheyRun) {
    EXPECT_EQ(post(), CAPSTAN_OK);
    EXPECT_EQ(after(1h), CAPSTAN_OK);
    callbacks->close();
    host.loop.advance(1h);
    EXPECT_THAT(called, ElementsAre(CAPSTAN_E_CANCELLED, CAPSTAN_E_CANCELLED));
}

TEST_F(PendingCallbacksTest, AreRefusedAsCancelledOnceClosed) {
    callbacks->close();
    EXPECT_TRUE(callbacks->is_closed());
    EXPECT_EQ(post(), CAPSTAN_E_CANCELLED);
    EXPECT_EQ(after(1s), CAPSTAN_E_CANCELLED);
    EXPECT_EQ(callbacks->accept(Bound::service), CAPSTAN_E_CANCELLED);
    EXPECT_EQ(callbacks->blocking([](void*) noexcept {}, &note, this), CAPSTAN_E_CANCELLED);
    host.loop.advance(1h);
    EXPECT_THAT(called, IsEmpty());
}

TEST_F(PendingCallbacksTest, OfAllTimersAreCancelledAtOnce) {
    EXPECT_EQ(after(1h), CAPSTAN_OK);
    EXPECT_EQ(after(2h), CAPSTAN_OK);
    callbacks->cancel_all();
    callbacks->cancel_all();
    host.loop.settle();
    EXPECT_THAT(called, ElementsAre(CAPSTAN_E_CANCELLED, CAPSTAN_E_CANCELLED)) << "each once";
    EXPECT_EQ(host.loop.next_due(), std::nullopt);
}

TEST_F(PendingCallbacksTest, ReportWhenTheLastOneHasBeenCalled) {
    EXPECT_EQ(post(), CAPSTAN_OK);
    EXPECT_EQ(callbacks->accept(Bound::service), CAPSTAN_OK);
    callbacks->close();
    when_empty();
    host.loop.settle();
    EXPECT_EQ(times_empty, 0) << "the service has not replied";
    callbacks->deliver([] {}, Bound::service);
    EXPECT_EQ(times_empty, 0);
    host.loop.settle();
    EXPECT_EQ(times_empty, 1);
}

TEST_F(PendingCallbacksTest, ReportAtOnceIfThereAreNone) {
    callbacks->close();
    when_empty();
    EXPECT_EQ(times_empty, 1);
}

TEST_F(PendingCallbacksTest, AreForgottenIfTheirInstanceIsAbandoned) {
    EXPECT_EQ(post(), CAPSTAN_OK);
    EXPECT_EQ(after(1h), CAPSTAN_OK);
    when_empty();
    callbacks->abandon();
    EXPECT_EQ(host.loop.next_due(), std::nullopt);
    EXPECT_EQ(post(), CAPSTAN_E_CANCELLED);
    callbacks->deliver([] { FAIL(); }, Bound::service);
    host.loop.advance(2h);
    EXPECT_THAT(called, IsEmpty());
    EXPECT_EQ(times_empty, 0);
}

TEST_F(PendingCallbacksTest, CountAsCalledEvenIfTheyThrow) {
    ASSERT_EQ(callbacks->accept(), CAPSTAN_OK);
    callbacks->deliver([] { throw std::runtime_error("no reply expected"); });
    EXPECT_EQ(post(), CAPSTAN_OK);
    host.loop.settle();
    EXPECT_THAT(reports, ElementsAre("callback threw an exception: no reply expected"));
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK)) << "the next callback is called";
    EXPECT_EQ(callbacks->open_count(), 0u);
}

TEST_F(PendingCallbacksTest, MayPostFurtherCallbacks) {
    ASSERT_EQ(callbacks->accept(), CAPSTAN_OK);
    callbacks->deliver([this] { EXPECT_EQ(post(), CAPSTAN_OK); });
    when_empty();
    host.loop.settle();
    EXPECT_THAT(called, ElementsAre(CAPSTAN_OK));
    EXPECT_EQ(times_empty, 1) << "after the further one";
}

}  // namespace
}  // namespace capstan::plugin_runtime::loop
