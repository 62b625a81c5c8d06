// Instances whose strands have their own threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "../test_host.hpp"
#include "plugin_runtime/instances/cloud_client.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// A cloud whose refresh returns only when the test allows it, if its instance is "stuck".
struct BlockingCloud {
    explicit BlockingCloud(const Host& host, const Settings&) : host_(host) {}
    CloudView refresh() {
        if (text(host_.raw()->instance_id) == "stuck") {
            entered.release();
            may_return.acquire();
        }
        refreshed_on = std::this_thread::get_id();
        return {};
    }
    Resized increase(Resize resize) { return {resize.expected_target + resize.delta}; }
    Resized decrease_target(Resize resize) { return {resize.expected_target - resize.delta}; }
    Removed remove(Removal) { return {}; }
    NodeTemplate describe(NodeGroupId) { return {}; }
    Host host_;
    static inline std::counting_semaphore<> entered{0}, may_return{0};
    static inline std::thread::id refreshed_on{};
};

/// The result of a call that ends on another thread.
template <class T>
struct AwaitedResult {
    std::shared_ptr<std::optional<Result<T>>> kept = std::make_shared<std::optional<Result<T>>>();
    std::function<void(Result<T>)> receive() const {
        return [kept = kept](Result<T> result) { kept->emplace(std::move(result)); };
    }
    const Result<T>& wait(TestHost& host) const {
        while (!*kept) {
            host.loop.settle();
            std::this_thread::yield();
        }
        return **kept;
    }
};

struct InstanceStrandThreads : testing::Test {
    TestHost host;
    InstanceStrandThreads() {
        host.has_strand_threads = true;
        host.calls = std::make_shared<loop::CallWatches>(
            0s);  // each running call counts as stuck immediately
    }
    std::shared_ptr<PluginInstance> run(const char* id) {
        auto instance =
            create(host, make_class<BlockingCloud>({.id = "probe", .doc = ""}), identity(id))
                .value();
        AwaitedResult<void> started;
        instance->start(10s, started.receive());
        EXPECT_TRUE(started.wait(host));
        return instance;
    }
    void stop(PluginInstance& instance) {
        AwaitedResult<void> stopped;
        instance.stop(10s, stopped.receive());
        EXPECT_TRUE(stopped.wait(host));
    }
    /// Waits until a refresh that does not return is running.
    void await_entered() {
        host.loop.settle();
        BlockingCloud::entered.acquire();
    }
    /// Waits until the call has returned.
    void await_free(const PluginInstance& instance) const {
        while (instance.context().strand().stuck()) std::this_thread::yield();
    }
};

TEST_F(InstanceStrandThreads, IsolateABlockedInstance) {
    const auto stuck = run("stuck"), other = run("other");
    const auto stuck_cloud = CloudClient::of(stuck).value(), cloud = CloudClient::of(other).value();
    AwaitedResult<CloudClient::View> blocked, view;
    stuck_cloud->refresh(nullptr, blocked.receive());
    await_entered();
    cloud->refresh(nullptr, view.receive());
    EXPECT_TRUE(view.wait(host)) << "the loop and the thread of the other instance are free";
    EXPECT_NE(BlockingCloud::refreshed_on, std::this_thread::get_id());
    EXPECT_FALSE(*blocked.kept);
    BlockingCloud::may_return.release();
    EXPECT_TRUE(blocked.wait(host));
    stop(*stuck);
    stop(*other);
}

TEST_F(InstanceStrandThreads, EndACallAtItsDeadline) {
    const auto stuck = run("stuck");
    const auto cloud = CloudClient::of(stuck).value();
    AwaitedResult<CloudClient::View> blocked;
    cloud->refresh(nullptr, blocked.receive());
    await_entered();
    host.loop.advance(stuck->context().identity().limits.refresh_deadline);
    const Error error = blocked.wait(host).error();
    EXPECT_EQ(error.code, ErrorCode::deadline);
    EXPECT_THAT(
        error.message,
        StartsWith(
            "plugin stuck: refresh: timed out: plugin stuck: refresh has blocked its thread for "));
    EXPECT_NE(error.provider_code, not_asked) << "the plugin was called";
    BlockingCloud::may_return.release();
    await_free(*stuck);
    stop(*stuck);
}

TEST_F(InstanceStrandThreads, CallNoInstanceUntilItsThreadIsFree) {
    const auto stuck = run("stuck");
    const auto cloud = CloudClient::of(stuck).value();
    AwaitedResult<CloudClient::View> blocked;
    cloud->refresh(nullptr, blocked.receive());
    await_entered();
    AwaitedResult<Resized> refused, increased;
    cloud->increase({.group = NodeGroupId("web"), .delta = 1, .expected_target = 1},
                    refused.receive());
    const Error error = refused.wait(host).error();
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.message,
              "plugin stuck: increase: not called while its refresh has not returned");
    EXPECT_EQ(error.provider_code, not_asked);
    AwaitedResult<void> checked;
    stuck->self_check(1s, checked.receive());
    EXPECT_TRUE(checked.wait(host)) << "it has no self check";
    BlockingCloud::may_return.release();
    EXPECT_TRUE(blocked.wait(host));
    await_free(*stuck);
    cloud->increase({.group = NodeGroupId("web"), .delta = 1, .expected_target = 1},
                    increased.receive());
    EXPECT_EQ(increased.wait(host)->target, 2);
    stop(*stuck);
}

TEST_F(InstanceStrandThreads, StopWithoutWaitingForABlockedCall) {
    auto stuck = run("stuck");
    const auto cloud = CloudClient::of(stuck).value();
    AwaitedResult<CloudClient::View> blocked;
    cloud->refresh(nullptr, blocked.receive());
    await_entered();
    AwaitedResult<void> stopped;
    stuck->stop(1s, stopped.receive());
    host.loop.advance(1s);
    const Error error = stopped.wait(host).error();
    EXPECT_EQ(error.code, ErrorCode::deadline);
    EXPECT_THAT(error.message, HasSubstr("; plugin stuck: refresh has blocked its thread for "));
    EXPECT_EQ(blocked.wait(host).error().code, ErrorCode::cancelled);
    BlockingCloud::may_return.release();
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
