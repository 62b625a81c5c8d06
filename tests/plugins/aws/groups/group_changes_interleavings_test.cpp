// Whatever fails between the host, the plugin, AWS and other clients of AWS, no instance with a
// node ends unless the host removed it, and the group reaches the target of the host.
#include <gtest/gtest.h>

#include <memory>

#include "interleaved_aws.hpp"

namespace capstan::aws {
namespace {

std::string violation_of(Protection protection) {
    const auto make = [protection](std::uint64_t seed) {
        return std::make_unique<InterleavedAws>(protection, seed);
    };
    return testing::find_violation(make, {.count = INTERLEAVINGS});
}

TEST(AwsInterleavings, TerminateNoProtectedInstance) {
    EXPECT_EQ(violation_of(Protection::by_group), "");
}

TEST(AwsInterleavings, TerminateNoInstanceThatThePluginMayProtect) {
    EXPECT_EQ(violation_of(Protection::by_plugin), "");
}

TEST(AwsInterleavings, TerminateNoInstanceListedOrLaunchedBeforeTheChange) {
    EXPECT_EQ(violation_of(Protection::none), "");
}

}  // namespace
}  // namespace capstan::aws
