#include "runtime/services/kube_gateway.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "../../kubernetes/client/scripted_api.hpp"

namespace capstan::runtime::services {
namespace {

using kubernetes::client::SuccessNotifier;

struct LateApiTest : testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    kubernetes::client::ScriptedApi server{loop};
    DeferredApiClient api{loop};
    int told = 0;
};

TEST_F(LateApiTest, WhatWaitsFromBeforeTheConnectionEndsNothingThatWaitsForTheConnection) {
    SuccessNotifier::Subscription before = api.success_notifier().subscribe([] {});
    api.connect(server);
    const SuccessNotifier::Subscription during =
        api.success_notifier().subscribe([this] { ++told; });
    before.reset();
    server.success_notifier().notify();
    EXPECT_EQ(told, 1);
}

TEST_F(LateApiTest, WhatWaitsForAConnectionCanEndAfterIt) {
    api.connect(server);
    SuccessNotifier::Subscription during = api.success_notifier().subscribe([this] { ++told; });
    api.disconnect();
    const SuccessNotifier::Subscription after =
        api.success_notifier().subscribe([this] { told += 10; });
    during.reset();
    server.success_notifier().notify();
    EXPECT_EQ(told, 0) << "it has ended";
    api.success_notifier().notify();
    EXPECT_EQ(told, 10);
}

}  // namespace
}  // namespace capstan::runtime::services
