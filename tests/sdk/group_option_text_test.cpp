#include <capstan/group_option_text.hpp>

#include <gmock/gmock.h>

#include <tuple>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(GroupOptionText, IsReadLikeUpstream) {
    const std::tuple<const char*, const char*, GroupOptions> cases[] = {
        {"scaledownutilizationthreshold", "0.5", {.utilization_threshold = 0.5}},
        {"scaledownutilizationthreshold", "1", {.utilization_threshold = 1.0}},
        {"scaledownutilizationthreshold", "0", {.utilization_threshold = 0.0}},
        {"scaledowngpuutilizationthreshold", "5e-1", {.gpu_utilization_threshold = 0.5}},
        {"scaledownunneededtime", "1h30m", {.unneeded_time = 90min}},
        {"scaledownunneededtime", "0s", {.unneeded_time = 0s}},
        {"scaledownunreadytime", "1.5h", {.unready_time = 90min}},
        {"devicesettlingtime", "10m", {.device_settling_time = 10min}},
        {"settlingtime", "0s", {.settling_time = 0min}},
        {"maxnodeprovisiontime", "900s", {.max_node_provision_time = 15min}},
        {"zeroormaxnodescaling", "true", {.zero_or_max = true}},
        {"zeroormaxnodescaling", "F", {.zero_or_max = false}},
        {"ignoredaemonsetsutilization", "1", {.ignore_daemonsets_utilization = true}}};
    for (const auto& [name, written, expected] : cases) {
        GroupOptions options;
        EXPECT_TRUE(read_group_option(name, written, options)) << name << "=" << written;
        EXPECT_EQ(options, expected) << name << "=" << written;
    }
}

TEST(GroupOptionText, IsIgnoredIfInvalid) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"scaledownutilizationthreshold", "1.1", "is not a number from 0 to 1"},
        {"scaledownutilizationthreshold", "-0.1", "is not a number from 0 to 1"},
        {"scaledownutilizationthreshold", "half", "is not a number from 0 to 1"},
        {"scaledownutilizationthreshold", "", "is not a number from 0 to 1"},
        {"scaledownunneededtime", "10", "missing or unknown unit"},
        {"scaledownunneededtime", "-10m", "is negative"},
        {"scaledownunneededtime", "", "empty; write it like"},
        {"zeroormaxnodescaling", "yes", "neither true nor false"},
        {"zeroormaxnodescaling", "", "neither true nor false"}};
    for (const auto& [name, written, why] : cases) {
        GroupOptions options{.unneeded_time = 5min};
        const auto read = read_group_option(name, written, options);
        ASSERT_FALSE(read) << name << "=" << written;
        EXPECT_NE(read.error().code, ErrorCode::unsupported) << name << "=" << written;
        EXPECT_THAT(read.error().message, HasSubstr(why)) << name << "=" << written;
        EXPECT_EQ(options, GroupOptions{.unneeded_time = 5min});
    }
}

TEST(GroupOptionText, IsUnsupportedForUnknownOptions) {
    for (const char* name : {"maxnodestartuptime", "ScaleDownUnneededTime", ""}) {
        GroupOptions options;
        EXPECT_EQ(read_group_option(name, "10m", options).error().code, ErrorCode::unsupported);
        EXPECT_EQ(options, GroupOptions());
    }
}

TEST(GroupOptionText, SetsEachOfSeveralOptions) {
    GroupOptions options;
    ASSERT_TRUE(read_group_option("scaledownunneededtime", "10m", options));
    ASSERT_TRUE(read_group_option("zeroormaxnodescaling", "false", options));
    ASSERT_TRUE(read_group_option("scaledownunneededtime", "5m", options));
    EXPECT_EQ(options, (GroupOptions{.unneeded_time = 5min, .zero_or_max = false}));
}

}  // namespace
}  // namespace capstan
