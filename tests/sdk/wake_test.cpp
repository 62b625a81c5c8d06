#include <capstan/wake.hpp>

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>

namespace {

using capstan::ErrorCode;
using capstan::testing::FakeHost;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Wake, PassesTheReasonToTheHost) {
    FakeHost host;
    EXPECT_TRUE(capstan::wake(host.host(), "spot notice for i-1"));
    EXPECT_TRUE(capstan::wake(host.host(), "operation op-7 ended"));
    EXPECT_THAT(host.take_wakes(), ElementsAre("spot notice for i-1", "operation op-7 ended"));
    EXPECT_THAT(host.take_wakes(), IsEmpty());
}

TEST(Wake, FailsWithoutTheServiceOrDuringStop) {
    FakeHost bare;
    bare.withhold(CAPSTAN_SERVICE_WAKE);
    EXPECT_EQ(capstan::wake(bare.host(), "late").error().code, ErrorCode::unsupported);
    FakeHost stopping;
    std::ignore = stopping.stop();
    EXPECT_EQ(capstan::wake(stopping.host(), "late").error().code, ErrorCode::cancelled);
    EXPECT_THAT(stopping.take_wakes(), IsEmpty());
}

}  // namespace
