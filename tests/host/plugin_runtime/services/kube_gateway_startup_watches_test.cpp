#include "plugin_runtime/services/kube_gateway.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/kube.hpp>

#include "../../kubernetes/client/scripted_api.hpp"
#include "../test_host.hpp"
#include "plugin_runtime/services/host_context.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using kubernetes::client::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The context of a plugin, and a cluster that its host is not yet connected to.
struct WatchingPlugin {
    TestHost host;
    kubernetes::client::ScriptedApi api{host.loop};
    std::shared_ptr<KubeGateway> gateway = std::make_shared<KubeGateway>(host.loop);
    std::shared_ptr<HostContext> context = make();
    std::vector<std::string> events;
    std::optional<KubeWatch> watch;

    ~WatchingPlugin() {
        on_strand([this] { watch.reset(); });
        stop();
    }
    std::shared_ptr<HostContext> make() {
        InstanceIdentity instance = identity("tiers");
        instance.grants.kube = {"configmaps:list,watch"};
        HostEnvironment environment = host.environment();
        environment.kube = gateway;
        return HostContext::make(environment, instance);
    }
    void stop() {
        context->close();
        context->cancel_open(0);
        host.loop.settle();
    }
    void on_strand(std::function<void()> function) {
        context->strand().post(std::move(function));
        host.loop.settle();
    }
    void start_watch(std::uint32_t queue_limit = 0) {
        KubeSelection what(KubeResource("", "v1", "configmaps", "ConfigMap"), "shop");
        what.field_selector = "metadata.name=prio";
        what.queue_limit = queue_limit;
        on_strand([this, what] {
            watch.emplace(Host(context->host()), what, [this](const KubeEvent& event) {
                static constexpr const char* names[] = {"?",       "added",  "modified",
                                                        "deleted", "synced", "trouble"};
                events.push_back(names[static_cast<int>(event.type)]);
            });
        });
    }
    void connect() {
        gateway->connect(api);
        host.loop.settle();
    }
    std::vector<std::string> awaited() const { return gateway->early_watches().unsettled(); }
};
struct StartupWatchTest : testing::Test, WatchingPlugin {};

kubernetes::client::Answer first_page(const std::string& next = {}) {
    return {.body = R"({"metadata":{"resourceVersion":"5","continue":")" + next + R"("},"items":[
        {"metadata":{"name":"prio","namespace":"shop","uid":"u","resourceVersion":"1"}}]})"};
}

TEST_F(StartupWatchTest, BeginsWhenTheHostConnects) {
    start_watch();
    EXPECT_THAT(events, ElementsAre("trouble"));
    EXPECT_THAT(api.asked(), IsEmpty());
    connect();
    ASSERT_EQ(api.open_count(), 1u) << "without delay";
    EXPECT_THAT(api.first().line(), HasSubstr("/namespaces/shop/configmaps?fieldSelector"));
}

TEST_F(StartupWatchTest, IsAwaitedUntilItIsSynced) {
    start_watch();
    connect();
    EXPECT_THAT(awaited(), ElementsAre("configmaps in shop (metadata.name=prio) for plugin tiers"));
    api.answer(first_page("more"));
    EXPECT_THAT(awaited(), SizeIs(1)) << "another page follows";
    api.answer(first_page());
    EXPECT_THAT(events, ElementsAre("trouble", "added", "synced"));
    EXPECT_THAT(awaited(), IsEmpty());
}

TEST_F(StartupWatchTest, IsAwaitedDuringTemporaryErrorsOnly) {
    const std::pair<int, std::size_t> cases[] = {{403, 0}, {404, 0}, {401, 0}, {400, 0},
                                                 {429, 1}, {503, 1}, {500, 1}, {504, 1}};
    for (const auto& [status, count] : cases) {
        WatchingPlugin each;
        each.start_watch();
        each.connect();
        each.api.answer(refusal(status, ""));
        EXPECT_THAT(each.events, ElementsAre("trouble", "trouble")) << status;
        EXPECT_THAT(each.awaited(), SizeIs(count)) << status;
    }
}

TEST_F(StartupWatchTest, IsNotAwaitedAfterItWasClosed) {
    start_watch();
    EXPECT_THAT(awaited(), SizeIs(1));
    on_strand([this] { watch.reset(); });
    EXPECT_THAT(awaited(), IsEmpty());
    connect();
    EXPECT_THAT(api.asked(), IsEmpty()) << "the watch does not start";
}

TEST_F(StartupWatchTest, IsNotAwaitedAfterThePluginStopped) {
    start_watch();
    connect();
    EXPECT_THAT(awaited(), SizeIs(1));
    stop();
    EXPECT_THAT(awaited(), IsEmpty());
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(StartupWatchTest, IsNotAwaitedIfOpenedAfterTheConnection) {
    connect();
    start_watch();
    EXPECT_EQ(api.open_count(), 1u);
    EXPECT_THAT(awaited(), IsEmpty());
}

TEST_F(StartupWatchTest, ContinuesIfItsQueueWasFullBefore) {
    start_watch(1);
    connect();
    api.answer(first_page());
    EXPECT_THAT(events, ElementsAre("trouble", "added", "synced"));
}

TEST(StartupWatches, BeginOnceInTheOrderOfCreation) {
    StartupWatches watches;
    std::vector<int> begun;
    for (int i = 1; i <= 3; ++i)
        watches.add("watch " + std::to_string(i), [&begun, i] { begun.push_back(i); });
    watches.settle(2);
    watches.begin();
    EXPECT_THAT(begun, ElementsAre(1, 3));
    watches.begin();
    EXPECT_THAT(begun, SizeIs(2)) << "each starts once";
    EXPECT_THAT(watches.unsettled(), ElementsAre("watch 1", "watch 3"));
    watches.settle(2);
    EXPECT_THAT(watches.unsettled(), SizeIs(2)) << "settling again has no effect";
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
