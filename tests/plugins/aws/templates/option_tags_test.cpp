#include <gmock/gmock.h>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

TaggedOptions option(const std::string& name, const std::string& value) {
    return read_option_tags({{tag("autoscaling-options/" + name), value}});
}

TEST(OptionTags, AreReadAsUpstreamReadsThem) {
    const std::tuple<const char*, const char*, GroupOptions> cases[] = {
        {"scaledownutilizationthreshold", "0.5", {.utilization_threshold = 0.5}},
        {"scaledownutilizationthreshold", "1", {.utilization_threshold = 1.0}},
        {"scaledownutilizationthreshold", "0", {.utilization_threshold = 0.0}},
        {"scaledowngpuutilizationthreshold", "5e-1", {.gpu_utilization_threshold = 0.5}},
        {"scaledownunneededtime", "1h30m", {.unneeded_time = 90min}},
        {"scaledownunneededtime", "0s", {.unneeded_time = 0s}},
        {"scaledownunreadytime", "1.5h", {.unready_time = 90min}},
        {"maxnodeprovisiontime", "900s", {.max_node_provision_time = 15min}},
        {"zeroormaxnodescaling", "true", {.zero_or_max = true}},
        {"zeroormaxnodescaling", "F", {.zero_or_max = false}},
        {"ignoredaemonsetsutilization", "1", {.ignore_daemonsets_utilization = true}}};
    for (const auto& [name, value, expected] : cases) {
        const TaggedOptions read = option(name, value);
        EXPECT_EQ(read.options, expected) << name << "=" << value;
        EXPECT_THAT(read.warnings, IsEmpty()) << name;
    }
}

TEST(OptionTags, SayWhatIsNoneAndKeepTheHostsDefault) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"scaledownutilizationthreshold", "1.1", "no share from 0 to 1"},
        {"scaledownutilizationthreshold", "-0.1", "no share from 0 to 1"},
        {"scaledownutilizationthreshold", "half", "no share from 0 to 1"},
        {"scaledownutilizationthreshold", "", "no share from 0 to 1"},
        {"scaledownunneededtime", "10", "needs one of the units"},
        {"scaledownunneededtime", "-10m", "less than nothing"},
        {"scaledownunneededtime", "", "it is empty"},
        {"zeroormaxnodescaling", "yes", "neither true nor false"},
        {"maxnodestartuptime", "10m", "no such option"},
        {"ScaleDownUnneededTime", "10m", "no such option"}};
    for (const auto& [name, value, why] : cases) {
        const TaggedOptions read = option(name, value);
        EXPECT_EQ(read.options, std::nullopt) << name << "=" << value;
        EXPECT_THAT(read.warnings,
                    ElementsAre(AllOf(HasSubstr(tag("autoscaling-options/")), HasSubstr(why))))
            << name << "=" << value;
    }
}

TEST(OptionTags, AreNothingWhereThereAreNone) {
    EXPECT_EQ(read_option_tags({}).options, std::nullopt);
    EXPECT_EQ(read_option_tags({{tag("label/a"), "b"}, {"Name", "web"}}).options, std::nullopt);
}

TEST(OptionTags, OneThatIsWrongCostsNoOther) {
    const TaggedOptions read =
        read_option_tags({{tag("autoscaling-options/scaledownunneededtime"), "soon"},
                          {tag("autoscaling-options/scaledownunreadytime"), "5m"}});
    EXPECT_EQ(read.options, GroupOptions{.unready_time = 5min});
    EXPECT_EQ(read.warnings.size(), 1u);
}

}  // namespace
}  // namespace capstan::aws
