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

TEST(OptionTags, AreReadLikeUpstream) {
    const TaggedOptions read =
        read_option_tags({{tag("autoscaling-options/scaledownutilizationthreshold"), "0.5"},
                          {tag("autoscaling-options/scaledownunneededtime"), "1h30m"},
                          {tag("autoscaling-options/zeroormaxnodescaling"), "F"}});
    EXPECT_EQ(
        read.options,
        (GroupOptions{.utilization_threshold = 0.5, .unneeded_time = 90min, .zero_or_max = false}));
    EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(OptionTags, ReportInvalidValuesAndUseTheDefault) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"scaledownutilizationthreshold", "half", "is not a number from 0 to 1"},
        {"scaledownunneededtime", "10", "missing or unknown unit"},
        {"maxnodestartuptime", "10m", "unknown group option"}};
    for (const auto& [name, value, why] : cases) {
        const TaggedOptions read = option(name, value);
        EXPECT_EQ(read.options, std::nullopt) << name << "=" << value;
        EXPECT_THAT(read.warnings,
                    ElementsAre(AllOf(HasSubstr(tag("autoscaling-options/")), HasSubstr(why))))
            << name << "=" << value;
    }
}

TEST(OptionTags, AreAbsentWithoutTags) {
    EXPECT_EQ(read_option_tags({}).options, std::nullopt);
    EXPECT_EQ(read_option_tags({{tag("label/a"), "b"}, {"Name", "web"}}).options, std::nullopt);
}

TEST(OptionTags, AreReadIfAnotherOneIsInvalid) {
    const TaggedOptions read =
        read_option_tags({{tag("autoscaling-options/scaledownunneededtime"), "soon"},
                          {tag("autoscaling-options/scaledownunreadytime"), "5m"}});
    EXPECT_EQ(read.options, GroupOptions{.unready_time = 5min});
    EXPECT_EQ(read.warnings.size(), 1u);
}

}  // namespace
}  // namespace capstan::aws
