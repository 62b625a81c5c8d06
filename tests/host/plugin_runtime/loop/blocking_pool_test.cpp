#include "plugin_runtime/loop/blocking_pool.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace capstan::plugin_runtime::loop {
namespace {

/// A function that waits inside the pool until the test lets it return. Shared with the function,
/// which may outlive the pool.
class HeldWork {
public:
    std::function<void()> function() const {
        return [shared = shared_] {
            shared->entered.set_value();
            shared->may_return.get_future().wait();
        };
    }
    void wait_until_begun() const { shared_->entered.get_future().wait(); }
    void let_return() const { shared_->may_return.set_value(); }

private:
    struct Shared {
        std::promise<void> entered, may_return;
    };
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// Sets the promise when the last copy is destroyed.
std::shared_ptr<void> make_signal(const std::shared_ptr<std::promise<void>>& destroyed) {
    return {nullptr, [destroyed](void*) { destroyed->set_value(); }};
}

TEST(BlockingPool, RefusesWorkWhileItsThreadsAndItsQueueAreFull) {
    BlockingPool pool({.threads = 1, .queue = 2});
    const HeldWork held;
    EXPECT_TRUE(pool.submit(held.function()));
    EXPECT_TRUE(pool.submit([] {}));
    EXPECT_TRUE(pool.submit([] {}));
    EXPECT_FALSE(pool.submit([] { FAIL(); }));
    held.let_return();
    while (!pool.submit([] {})) std::this_thread::yield();
}

TEST(BlockingPool, WithoutAQueueTakesAsManyFunctionsAsItHasThreads) {
    BlockingPool pool({.threads = 2, .queue = 0});
    const HeldWork first, second;
    EXPECT_TRUE(pool.submit(first.function()));
    EXPECT_TRUE(pool.submit(second.function()));
    EXPECT_FALSE(pool.submit([] { FAIL(); }));
    first.let_return();
    second.let_return();
}

TEST(BlockingPool, RefusesEverythingIfItHasNeitherThreadsNorAQueue) {
    BlockingPool pool({.threads = 0, .queue = 0});
    EXPECT_FALSE(pool.submit([] { FAIL(); }));
}

TEST(BlockingPool, RunsFunctionsAtTheSameTimeOnItsThreads) {
    BlockingPool pool({.threads = 2, .queue = 0});
    struct Meeting {
        std::promise<void> one, other, both;
    };
    const auto meeting = std::make_shared<Meeting>();
    // Each function returns only if the other one has begun.
    ASSERT_TRUE(pool.submit([meeting] {
        meeting->one.set_value();
        meeting->other.get_future().wait();
        meeting->both.set_value();
    }));
    ASSERT_TRUE(pool.submit([meeting] {
        meeting->other.set_value();
        meeting->one.get_future().wait();
    }));
    meeting->both.get_future().wait();
}

TEST(BlockingPool, RunsQueuedFunctionsInTheirOrder) {
    BlockingPool pool({.threads = 1, .queue = 3});
    const HeldWork held;
    std::string order;
    const auto done = std::make_shared<std::promise<void>>();
    ASSERT_TRUE(pool.submit(held.function()));
    for (const char* const name : {"a", "b"})
        ASSERT_TRUE(pool.submit([&, name] { order += name; }));
    ASSERT_TRUE(pool.submit([done] { done->set_value(); }));
    held.let_return();
    done->get_future().wait();
    EXPECT_EQ(order, "ab");
}

TEST(BlockingPool, ReleasesAFunctionAsSoonAsItHasReturned) {
    BlockingPool pool({.threads = 1, .queue = 1});
    const auto destroyed = std::make_shared<std::promise<void>>();
    ASSERT_TRUE(pool.submit([owned = make_signal(destroyed)] {}));
    destroyed->get_future().wait();
}

TEST(BlockingPool, DropsQueuedFunctionsAndLeavesARunningOneAlone) {
    auto pool = std::make_unique<BlockingPool>(BlockingPool::Limits{.threads = 1, .queue = 1});
    const HeldWork held;
    const auto queued = std::make_shared<int>();
    const auto ended = std::make_shared<std::promise<void>>();
    ASSERT_TRUE(pool->submit([run = held.function(), owned = make_signal(ended)] { run(); }));
    held.wait_until_begun();
    ASSERT_TRUE(pool->submit([queued] { FAIL(); }));
    pool = nullptr;  // does not wait for the running function
    EXPECT_EQ(queued.use_count(), 1);
    held.let_return();
    ended->get_future().wait();
}

TEST(BlockingPool, MayBeDestroyedByAFunctionThatOwnsIt) {
    struct Owner {
        std::shared_ptr<void> destroyed_after_the_pool;
        BlockingPool pool{{.threads = 1, .queue = 1}};
    };
    const auto destroyed = std::make_shared<std::promise<void>>();
    const HeldWork held;
    auto owner = std::make_shared<Owner>();
    owner->destroyed_after_the_pool = make_signal(destroyed);
    ASSERT_TRUE(owner->pool.submit([owner, run = held.function()] { run(); }));
    held.wait_until_begun();
    owner = nullptr;
    held.let_return();
    destroyed->get_future().wait();
}

}  // namespace
}  // namespace capstan::plugin_runtime::loop
