#include "config.hpp"

#include <gmock/gmock.h>

#include <limits>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::IsEmpty;
using testing::Rejection;
using testing::table;

TEST(LeastWasteConfig, WeighsResourcesExceptSlotsEquallyByDefault) {
    FakeSettings settings(least_waste_schema());
    check_least_waste(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const LeastWasteConfig config = read_least_waste(settings.view());
    for (const char* resource : {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"}) {
        EXPECT_EQ(config.weight_of(resource), 1) << resource;
    }
    EXPECT_EQ(config.tolerance, 0);
    EXPECT_EQ(config.of, LeastWasteConfig::Of::allocatable);
}

TEST(LeastWasteConfig, WeighsSlotsOnlyIfConfigured) {
    FakeSettings settings(least_waste_schema());
    EXPECT_EQ(read_least_waste(settings.view()).weight_of("pods"), 0);
    EXPECT_EQ(read_least_waste(settings.view()).weight_of("attachable-volumes-aws-ebs"), 0);
    settings.set("weights", table({{"pods", 0.5}}));
    EXPECT_EQ(read_least_waste(settings.view()).weight_of("pods"), 0.5);
}

TEST(LeastWasteConfig, ReadsEverySetting) {
    FakeSettings settings(least_waste_schema());
    settings.set("weights", table({{"cpu", 2.5}, {"nvidia.com/gpu", 10}})).set("other_weight", 0);
    settings.set("tolerance", 0.05).set("of", "capacity");
    const LeastWasteConfig config = read_least_waste(settings.view());
    EXPECT_EQ(config.weight_of("cpu"), 2.5);
    EXPECT_EQ(config.weight_of("nvidia.com/gpu"), 10);
    EXPECT_EQ(config.weight_of("memory"), 0);
    EXPECT_EQ(config.tolerance, 0.05);
    EXPECT_EQ(config.of, LeastWasteConfig::Of::capacity);
}

TEST(LeastWasteConfig, RejectsWeightsThatAreAllZero) {
    FakeSettings settings(least_waste_schema());
    settings.set("weights", table({{"cpu", 0}})).set("other_weight", 0);
    check_least_waste(settings.view());
    EXPECT_THAT(
        settings.rejections(),
        ElementsAre(Rejection{"other_weight",
                              "no resource has a weight above 0, so all options would be equal"}));
}

}  // namespace
}  // namespace capstan::expanders
