#include "plugin_runtime/instances/cloud_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "../test_host.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"

namespace capstan::plugin_runtime::instances {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// A cloud with one group; tests set its behaviour.
struct TestCloud {
    explicit TestCloud(const Host& host, const Settings&) : host_(host) {}
    Task<CloudView> refresh(RefreshRequest request) {
        uncached.push_back(request.uncached);
        probes.push_back(request.probe);
        co_await sleep_for(host_, refresh_takes);
        co_return CloudView{.groups = {{.id = NodeGroupId("web"), .min = 0, .max = 9, .target = 3}},
                            .machines = {{.id = MachineId("i-1"), .group = NodeGroupId("web")}}};
    }
    Task<Resized> increase(Resize resize) {
        ++increases;
        co_await sleep_for(host_, 1s);
        if (resize.group.value() == "full")
            throw Failure(ErrorCode::out_of_capacity, "no c5.large left in eu-1a");
        if (is_throttling || throttled_groups.contains(resize.group.value()))
            throw Failure(ErrorCode::throttled, "slow down");
        co_return Resized{resize.expected_target + resize.delta};
    }
    Resized decrease_target(Resize resize) { return {resize.expected_target - resize.delta}; }
    Removed remove(Removal removal) {
        return {
            {Error{ErrorCode::not_found, "it is gone", {}, removal.machines.at(0).value(), {}}}};
    }
    NodeTemplate describe(NodeGroupId group) {
        NodeTemplate node{.name = group.value() + "-template"};
        return node;
    }
    Result<Price> price(const Call&, const GroupView&, const TemplateView& node) {
        if (node.name() == "slow") price_may_return.wait(false);
        if (node.name() == "free") return fail(ErrorCode::not_found, "no price known");
        std::string currency(node.name() == "nowhere" ? ""
                             : node.name() == "long"  ? "EUROS"
                                                      : "EUR");
        return Price{.per_hour = node.name() == "odd" ? -1 : 0.25, .currency = std::move(currency)};
    }
    GroupOptions options(const Call&, const GroupView& group) {
        GroupOptions out;
        out.utilization_threshold = group.id() == "odd" ? 7.0 : 0.7;
        out.drain_timeout = 30min;
        return out;
    }
    Host host_;
    static inline Duration refresh_takes = 1s;
    static inline int increases = 0;
    static inline bool is_throttling = false;
    static inline std::set<std::string> throttled_groups{};
    static inline std::vector<bool> uncached{}, probes{};  ///< by refresh
    static inline std::atomic<bool> price_may_return{true};
};

template <class T>
struct Received {
    std::shared_ptr<std::vector<Result<T>>> all = std::make_shared<std::vector<Result<T>>>();
    CloudClient::Done<T> receive() const {
        return [all = all](Result<T> result) { all->push_back(std::move(result)); };
    }
    const Result<T>& get() const { return all->at(0); }
};

services::InstanceIdentity limited_identity() {
    services::InstanceIdentity out = identity("aws");
    out.limits.max_inflight = 2;
    return out;
}

struct CloudClientTest : testing::Test {
    TestHost host;
    Running<TestCloud> running{host, limited_identity()};
    std::shared_ptr<CloudClient> cloud = CloudClient::of(running.shared()).value();
    PassWatch watch;
    CloudClientTest() {
        TestCloud::refresh_takes = 1s;
        TestCloud::increases = 0;
        TestCloud::uncached.clear();
        TestCloud::probes.clear();
        TestCloud::is_throttling = false;
        TestCloud::throttled_groups.clear();
    }
    /// Results of `count` concurrent increases of web that end within `time`.
    std::vector<Result<Resized>> increase(int count, Duration time) {
        Received<Resized> out;
        for (int i = 0; i < count; ++i)
            cloud->increase({.group = NodeGroupId("web"), .delta = 1}, out.receive());
        host.loop.advance(time);
        return *out.all;
    }
};

TEST_F(CloudClientTest, ReturnsACopyOfTheView) {
    Received<CloudClient::View> view;
    cloud->refresh(nullptr, view.receive());
    host.loop.advance(1s);
    EXPECT_EQ((*view.get())->groups.at(0).target, 3);
    EXPECT_EQ((*view.get())->machines.at(0).id, MachineId("i-1"));
}

TEST_F(CloudClientTest, BypassesCachesInTheRefreshAfterAChange) {
    const auto refresh = [&](Duration waits) {
        Received<CloudClient::View> view;
        cloud->refresh(nullptr, view.receive());
        host.loop.advance(waits);
    };
    refresh(1s);
    Received<Resized> refused;
    cloud->increase({.group = NodeGroupId("full"), .delta = 1}, refused.receive());
    refresh(1s);
    EXPECT_THAT(TestCloud::uncached, ElementsAre(false, false)) << "the change had not ended";
    refresh(1s);
    refresh(1s);
    EXPECT_THAT(TestCloud::uncached, ElementsAre(false, false, true, false));
}

TEST_F(CloudClientTest, ForwardsTheProbeFlag) {
    Received<CloudClient::View> probed, next;
    cloud->refresh({.probe = true}, probed.receive());
    host.loop.advance(1s);
    cloud->refresh(nullptr, next.receive());
    host.loop.advance(1s);
    EXPECT_THAT(TestCloud::probes, ElementsAre(true, false));
}

TEST_F(CloudClientTest, SendsTwoChangesInARowWhileThrottledAndGivesUpTheRest) {
    TestCloud::is_throttling = true;
    increase(1, 1s);
    EXPECT_EQ(TestCloud::increases, 1);
    EXPECT_EQ(increase(5, 1s).size(), 1u) << "one at a time";
    EXPECT_EQ(TestCloud::increases, 3);
    host.loop.advance(1s);
    EXPECT_EQ(TestCloud::increases, 3);

    const auto throttled = increase(5, 2s);
    EXPECT_EQ(TestCloud::increases, 5);
    ASSERT_EQ(throttled.size(), 5u);
    for (std::size_t i = 0; i < throttled.size(); ++i) {
        EXPECT_EQ(throttled[i].error().code, i < 2 ? ErrorCode::throttled : ErrorCode::cancelled);
        EXPECT_EQ(throttled[i].error().provider_code == not_asked, i >= 2);
    }
}

TEST_F(CloudClientTest, AGroupThatIsAlwaysThrottledDoesNotHoldBackOthersForEver) {
    TestCloud::throttled_groups = {"web", "api"};
    increase(1, 1s);
    Received<Removed> removed;
    for (int round = 0; round < 2; ++round) {
        Received<Resized> grown;
        for (const char* const group : {"web", "api"})
            cloud->increase({.group = NodeGroupId(group), .delta = 1}, grown.receive());
        cloud->remove({.group = NodeGroupId("batch"), .machines = {MachineId("i-9")}},
                      removed.receive());
        host.loop.advance(3s);
        EXPECT_EQ(grown.all->size(), 2u);
    }
    ASSERT_EQ(removed.all->size(), 2u);
    EXPECT_EQ(removed.all->at(0).error().code, ErrorCode::cancelled);
    EXPECT_TRUE(removed.all->at(1)) << removed.all->at(1).error().message;
}

TEST_F(CloudClientTest, SendsAllChangesAfterThrottlingEnds) {
    TestCloud::is_throttling = true;
    increase(1, 1s);
    TestCloud::is_throttling = false;
    EXPECT_EQ(increase(5, 1s).size(), 1u);
    host.loop.advance(2s);
    EXPECT_EQ(TestCloud::increases, 6);
    EXPECT_EQ(increase(2, 1s).size(), 2u) << "concurrently";
}

TEST_F(CloudClientTest, BypassesCachesAgainIfThatRefreshFailed) {
    Received<Resized> grown;
    cloud->increase({.group = NodeGroupId("web"), .delta = 1}, grown.receive());
    host.loop.advance(1s);
    TestCloud::refresh_takes = 24h;
    Received<CloudClient::View> late, next;
    cloud->refresh(nullptr, late.receive());
    host.loop.advance(1h);
    ASSERT_FALSE(late.get());
    TestCloud::refresh_takes = 1s;
    cloud->refresh(nullptr, next.receive());
    host.loop.advance(1s);
    EXPECT_THAT(TestCloud::uncached, ElementsAre(true, true));
}

TEST_F(CloudClientTest, ReturnsTheKnownViewIfNothingChanged) {
    Received<CloudClient::View> first, same, other;
    cloud->refresh(nullptr, first.receive());
    host.loop.advance(1s);
    const CloudClient::View known = first.get().value();
    cloud->refresh(known, same.receive());
    host.loop.advance(1s);
    EXPECT_EQ(same.get().value(), known);
    CloudView older = *known;
    older.machines.at(0).state = MachineState::creating;
    cloud->refresh(std::make_shared<const CloudView>(older), other.receive());
    host.loop.advance(1s);
    EXPECT_EQ(*other.get().value(), *known);
}

TEST_F(CloudClientTest, EndsACallAtItsDeadline) {
    TestCloud::refresh_takes = 1h;
    Received<CloudClient::View> view;
    cloud->refresh(nullptr, view.receive());
    host.loop.advance(3min);
    EXPECT_EQ(view.get().error().code, ErrorCode::deadline);
    EXPECT_THAT(view.get().error().message, testing::StartsWith("plugin aws: refresh: "));
    EXPECT_THAT(
        host.metrics->text(),
        testing::HasSubstr("errors_total{code=\"deadline\",hook=\"refresh\",plugin=\"aws\"} 1"));
}

TEST_F(CloudClientTest, CallsOtherHooksWhilePriceHangs) {
    services::InstanceIdentity hasty = limited_identity();
    hasty.limits.call_deadline = 20ms;
    Running<TestCloud> slow{host, hasty};
    TestCloud::price_may_return = false;
    const auto priced = run_watched<Result<Price>>([instance = slow.shared()](PassWatch& pass) {
        return ask_price(instance, NodeGroup{}, NodeTemplate{.name = "slow"}, {}, pass);
    });
    EXPECT_THAT(priced.result.error().message, testing::HasSubstr("price is skipped"));
    const auto client = CloudClient::of(slow.shared()).value();
    Received<CloudClient::View> view;
    Received<Resized> down;
    client->refresh(nullptr, view.receive());
    client->decrease_target({.group = NodeGroupId("web"), .delta = 2, .expected_target = 3},
                            down.receive());
    host.loop.advance(1s);
    EXPECT_TRUE(view.get());
    EXPECT_EQ(down.get().value().target, 1);
    TestCloud::price_may_return = true;
    TestCloud::price_may_return.notify_all();
    while (slow->has_abandoned_calls()) std::this_thread::yield();
}

TEST_F(CloudClientTest, IncreasesAndDecreasesGroups) {
    Received<Resized> up, down;
    cloud->increase({.group = NodeGroupId("web"), .delta = 2, .expected_target = 3}, up.receive());
    cloud->decrease_target({.group = NodeGroupId("web"), .delta = 1, .expected_target = 3},
                           down.receive());
    host.loop.advance(1s);
    EXPECT_EQ(up.get()->target, 5);
    EXPECT_EQ(down.get()->target, 2);
}

TEST_F(CloudClientTest, ReturnsTheErrorOfAnIncrease) {
    Received<Resized> up;
    cloud->increase({.group = NodeGroupId("full"), .delta = 2}, up.receive());
    host.loop.advance(1s);
    EXPECT_EQ(up.get().error(), (Error{ErrorCode::out_of_capacity,
                                       "plugin aws: increase: no c5.large left in eu-1a"}));
}

TEST_F(CloudClientTest, ReturnsMachinesThatWereNotRemoved) {
    Received<Removed> removed;
    cloud->remove({.group = NodeGroupId("web"), .machines = {MachineId("i-9")}}, removed.receive());
    host.loop.settle();
    EXPECT_EQ(removed.get()->failed.at(0).subject, "i-9");
}

TEST_F(CloudClientTest, DescribesANodeTemplate) {
    Received<NodeTemplate> node;
    cloud->describe(NodeGroupId("web"), node.receive());
    host.loop.settle();
    EXPECT_EQ(node.get()->name, "web-template");
}

TEST_F(CloudClientTest, QueuesCallsBeyondItsLimit) {
    Received<Resized> up;
    for (int i = 0; i < 5; ++i)
        cloud->increase({.group = NodeGroupId("web"), .delta = 1}, up.receive());
    host.loop.settle();
    EXPECT_EQ(TestCloud::increases, 2);
    host.loop.advance(1s);
    EXPECT_EQ(TestCloud::increases, 4);
    host.loop.advance(2s);
    EXPECT_EQ(up.all->size(), 5u);
}

TEST_F(CloudClientTest, EndsEveryCallWhenTheInstanceStops) {
    Received<Resized> up;
    for (int i = 0; i < 5; ++i)
        cloud->increase({.group = NodeGroupId("web"), .delta = 1}, up.receive());
    host.loop.settle();
    EXPECT_TRUE(stop(host, *running));
    running.release();
    ASSERT_EQ(up.all->size(), 5u);
    for (const auto& result : *up.all) EXPECT_FALSE(result);
    EXPECT_EQ(TestCloud::increases, 2);
}

TEST_F(CloudClientTest, CallsNoStoppedInstance) {
    EXPECT_TRUE(stop(host, *running));
    running.release();
    Received<CloudClient::View> view;
    cloud->refresh(nullptr, view.receive());
    host.loop.settle();
    EXPECT_EQ(view.get().error().message, "plugin aws: refresh: not running");
}

TEST_F(CloudClientTest, ReturnsValidPricesOnly) {
    const Price price = ask_price(running.shared(), {}, {.name = "c5"}, {}, watch).value();
    EXPECT_EQ(price, (Price{.per_hour = 0.25, .currency = "EUR"}));
    EXPECT_EQ(ask_price(running.shared(), {}, {.name = "free"}, {}, watch).error().code,
              ErrorCode::not_found);
    EXPECT_EQ(ask_price(running.shared(), {}, {.name = "odd"}, {}, watch).error().message,
              "plugin aws: price returned a price whose per_hour is -1.000000");
    for (const auto& [name, currency] : {std::pair("nowhere", ""), std::pair("long", "EUROS")})
        EXPECT_EQ(ask_price(running.shared(), {}, {.name = name}, {}, watch).error().message,
                  "plugin aws: price returned a price whose currency is \"" +
                      std::string(currency) + "\", not three capital letters");
}

TEST_F(CloudClientTest, ReturnsValidOptionsOnly) {
    const GroupOptions options =
        ask_options(running.shared(), {.id = NodeGroupId("web")}, {}, watch).value();
    EXPECT_EQ(options.utilization_threshold, 0.7);
    EXPECT_EQ(options.drain_timeout, Duration(30min));
    EXPECT_EQ(options.unneeded_time, std::nullopt) << "unset, not zero";
    EXPECT_EQ(ask_options(running.shared(), {.id = NodeGroupId("odd")}, {}, watch).error().message,
              "plugin aws: options returned options whose utilization_threshold is 7.000000, not "
              "from 0 to 1");
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
