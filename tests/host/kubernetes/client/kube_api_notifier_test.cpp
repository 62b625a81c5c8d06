#include "kubernetes/client/kube_api.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace capstan::kubernetes::client {
namespace {

TEST(SuccessNotifierTest, CallsAListenerOnce) {
    SuccessNotifier notifier;
    int calls = 0;
    const SuccessNotifier::Subscription listener = notifier.subscribe([&] { ++calls; });
    EXPECT_EQ(calls, 0);
    notifier.notify();
    notifier.notify();
    EXPECT_EQ(calls, 1);
}

TEST(SuccessNotifierTest, SkipsAListenerThatWasRemoved) {
    SuccessNotifier notifier;
    int calls = 0;
    SuccessNotifier::Subscription second;
    const SuccessNotifier::Subscription first = notifier.subscribe([&] { second.reset(); });
    second = notifier.subscribe([&] { ++calls; });
    notifier.notify();
    EXPECT_EQ(calls, 0) << "removed by the first listener";
}

TEST(SuccessNotifierTest, MayBeDestroyedBeforeItsListeners) {
    std::optional<SuccessNotifier> notifier(std::in_place);
    SuccessNotifier other;
    int calls = 0;
    SuccessNotifier::Subscription of_notifier = notifier->subscribe([&] { ++calls; });
    const SuccessNotifier::Subscription of_other = other.subscribe([&] { calls += 10; });
    notifier.reset();
    of_notifier.reset();
    other.notify();
    EXPECT_EQ(calls, 10);
}

}  // namespace
}  // namespace capstan::kubernetes::client
