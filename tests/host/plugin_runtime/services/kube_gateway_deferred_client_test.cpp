#include "plugin_runtime/services/kube_gateway.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "../../kubernetes/client/scripted_api.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using kubernetes::client::SuccessNotifier;

struct DeferredApiClientTest : testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    kubernetes::client::ScriptedApi server{loop};
    DeferredApiClient api{loop};
    int notifications = 0;
};

TEST_F(DeferredApiClientTest, KeepsSubscriptionsOfEachConnectionApart) {
    SuccessNotifier::Subscription before = api.success_notifier().subscribe([] {});
    api.connect(server);
    const SuccessNotifier::Subscription during =
        api.success_notifier().subscribe([this] { ++notifications; });
    before.reset();
    server.success_notifier().notify();
    EXPECT_EQ(notifications, 1);
}

TEST_F(DeferredApiClientTest, EndsASubscriptionAfterItsConnection) {
    api.connect(server);
    SuccessNotifier::Subscription during =
        api.success_notifier().subscribe([this] { ++notifications; });
    api.disconnect();
    const SuccessNotifier::Subscription after =
        api.success_notifier().subscribe([this] { notifications += 10; });
    during.reset();
    server.success_notifier().notify();
    EXPECT_EQ(notifications, 0) << "the subscription has ended";
    api.success_notifier().notify();
    EXPECT_EQ(notifications, 10);
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
