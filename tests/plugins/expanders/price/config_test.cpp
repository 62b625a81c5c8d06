#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::IsEmpty;
using testing::Rejection;

TEST(PriceConfig, HasTheSameDefaultsInTheSchemaAsInTheStruct) {
    FakeSettings settings(price_schema());
    check_price(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const PriceConfig read = read_price(settings.view());
    const PriceConfig made;
    EXPECT_EQ(read.cpu_per_hour, made.cpu_per_hour);
    EXPECT_EQ(read.memory_gib_per_hour, made.memory_gib_per_hour);
    EXPECT_EQ(read.gpu_per_hour, made.gpu_per_hour);
    EXPECT_EQ(read.gpu_resources, made.gpu_resources);
}

TEST(PriceConfig, RejectsAPodPriceOfZero) {
    FakeSettings settings(price_schema());
    settings.set("cpu_per_hour", 0);
    check_price(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    settings.set("memory_gib_per_hour", 0);
    check_price(settings.view());
    EXPECT_THAT(settings.rejections(),
                ElementsAre(Rejection{"cpu_per_hour",
                                      "cpu_per_hour and memory_gib_per_hour must not both be 0"}));
}

}  // namespace
}  // namespace capstan::expanders
