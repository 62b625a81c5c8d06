#include "kubernetes/client/kube_api.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace capstan::kubernetes::client {
namespace {

TEST(AnswerBell, TellsAListenerOnceThatARequestHasSucceeded) {
    SuccessNotifier notifier;
    int told = 0;
    const SuccessNotifier::Subscription listener = notifier.subscribe([&] { ++told; });
    EXPECT_EQ(told, 0);
    notifier.notify();
    notifier.notify();
    EXPECT_EQ(told, 1);
}

TEST(AnswerBell, TellsNothingToAListenerThatHasEnded) {
    SuccessNotifier notifier;
    int told = 0;
    SuccessNotifier::Subscription second;
    const SuccessNotifier::Subscription first = notifier.subscribe([&] { second.reset(); });
    second = notifier.subscribe([&] { ++told; });
    notifier.notify();
    EXPECT_EQ(told, 0) << "the first one ended it";
}

TEST(AnswerBell, MayGoBeforeItsListeners) {
    std::optional<SuccessNotifier> notifier(std::in_place);
    SuccessNotifier other;
    int told = 0;
    SuccessNotifier::Subscription of_notifier = notifier->subscribe([&] { ++told; });
    const SuccessNotifier::Subscription of_other = other.subscribe([&] { told += 10; });
    notifier.reset();
    of_notifier.reset();
    other.notify();
    EXPECT_EQ(told, 10);
}

}  // namespace
}  // namespace capstan::kubernetes::client
