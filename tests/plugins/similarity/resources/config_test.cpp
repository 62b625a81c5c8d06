#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::similarity {
namespace {

using testing::FakeSettings;
using ::testing::IsEmpty;

TEST(ResourcesConfig, HasTheUpstreamTolerancesByDefault) {
    FakeSettings settings(resources_schema());
    check_resources(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const ResourcesConfig config = read_resources(settings.view());
    EXPECT_EQ(config.capacity_memory.billionths(), 15'000'000);
    EXPECT_EQ(config.allocatable.billionths(), 50'000'000);
    EXPECT_EQ(config.free.billionths(), 50'000'000);
}

TEST(ResourcesConfig, ReadsEachTolerance) {
    FakeSettings settings(resources_schema());
    settings.set("capacity_memory_tolerance", 0.1)
        .set("allocatable_tolerance", 0)
        .set("free_tolerance", 1);
    const ResourcesConfig config = read_resources(settings.view());
    EXPECT_EQ(config.capacity_memory.billionths(), 100'000'000);
    EXPECT_EQ(config.allocatable.billionths(), 0);
    EXPECT_EQ(config.free.billionths(), 1'000'000'000);
}

}  // namespace
}  // namespace capstan::similarity
