#include "runtime/services/kube_gateway.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "../../kubernetes/client/scripted_api.hpp"

namespace capstan::runtime::services {
namespace {

using kubernetes::client::AnswerBell;

struct LateApiTest : testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    kubernetes::client::ScriptedApi server{loop};
    DeferredApiClient api{loop};
    int told = 0;
};

TEST_F(LateApiTest, WhatWaitsFromBeforeTheConnectionEndsNothingThatWaitsForTheConnection) {
    AnswerBell::Subscription before = api.answer_bell().subscribe([] {});
    api.connect(server);
    const AnswerBell::Subscription during = api.answer_bell().subscribe([this] { ++told; });
    before.reset();
    server.answer_bell().ring();
    EXPECT_EQ(told, 1);
}

TEST_F(LateApiTest, WhatWaitsForAConnectionCanEndAfterIt) {
    api.connect(server);
    AnswerBell::Subscription during = api.answer_bell().subscribe([this] { ++told; });
    api.disconnect();
    const AnswerBell::Subscription after = api.answer_bell().subscribe([this] { told += 10; });
    during.reset();
    server.answer_bell().ring();
    EXPECT_EQ(told, 0) << "it has ended";
    api.answer_bell().ring();
    EXPECT_EQ(told, 10);
}

}  // namespace
}  // namespace capstan::runtime::services
