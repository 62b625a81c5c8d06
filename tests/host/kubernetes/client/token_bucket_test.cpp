#include "kubernetes/client/token_bucket.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

TEST(TokenBucket, AllowsABurstAndQueuesTheRest) {
    TokenBucket bucket(10, 2);
    EXPECT_EQ(bucket.take(1s), 0ms);
    EXPECT_EQ(bucket.take(1s), 0ms);
    EXPECT_EQ(bucket.take(1s), 100ms);
    EXPECT_EQ(bucket.take(1s), 200ms);
    EXPECT_EQ(bucket.take(1100ms), 200ms) << "behind queued requests";
}

TEST(TokenBucket, FillsUpToTheBurst) {
    TokenBucket bucket(10, 2);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(bucket.take(1s), 0ms);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(bucket.take(1h), 0ms);
    EXPECT_EQ(bucket.take(1h), 100ms);
}

TEST(TokenBucket, ReusesAReturnedToken) {
    TokenBucket bucket(10, 1);
    EXPECT_EQ(bucket.take(1s), 0ms);
    EXPECT_EQ(bucket.take(1s), 100ms);
    bucket.give_back();
    EXPECT_EQ(bucket.take(1s), 100ms);
}

TEST(TokenBucket, IsUnlimitedWithoutARate) {
    TokenBucket bucket(-1, 1);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(bucket.take(1s), 0ms);
}

}  // namespace
}  // namespace capstan::kubernetes::client
