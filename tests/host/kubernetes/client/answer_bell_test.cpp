#include "kubernetes/client/kube_api.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace capstan::kubernetes::client {
namespace {

TEST(AnswerBell, TellsAListenerOnceThatARequestHasSucceeded) {
    AnswerBell bell;
    int told = 0;
    const AnswerBell::Subscription listener = bell.subscribe([&] { ++told; });
    EXPECT_EQ(told, 0);
    bell.ring();
    bell.ring();
    EXPECT_EQ(told, 1);
}

TEST(AnswerBell, TellsNothingToAListenerThatHasEnded) {
    AnswerBell bell;
    int told = 0;
    AnswerBell::Subscription second;
    const AnswerBell::Subscription first = bell.subscribe([&] { second.reset(); });
    second = bell.subscribe([&] { ++told; });
    bell.ring();
    EXPECT_EQ(told, 0) << "the first one ended it";
}

TEST(AnswerBell, MayGoBeforeItsListeners) {
    std::optional<AnswerBell> bell(std::in_place);
    AnswerBell other;
    int told = 0;
    AnswerBell::Subscription of_bell = bell->subscribe([&] { ++told; });
    const AnswerBell::Subscription of_other = other.subscribe([&] { told += 10; });
    bell.reset();
    of_bell.reset();
    other.ring();
    EXPECT_EQ(told, 10);
}

}  // namespace
}  // namespace capstan::kubernetes::client
