#include "engine/snapshot/amount_text.hpp"

#include <gtest/gtest.h>

namespace capstan::engine::snapshot {
namespace {

constexpr std::int64_t ki = 1 << 10, mi = ki << 10, gi = mi << 10;

TEST(AmountText, UsesTheUnitOfTheReferenceAmount) {
    const struct {
        const char* resource;
        std::int64_t of_unit, amount;
        const char *down, *up;
    } cases[] = {
        {"memory", 60 * gi, 31384 * mi, "30.64Gi", "30.65Gi"},
        {"memory", 60 * gi, 31 * gi, "31Gi", "31Gi"},
        {"memory", 500 * mi, 16 * gi, "16384Mi", "16384Mi"},
        {"memory", 32086424 * ki, 32086424 * ki, "30.59Gi", "30.6Gi"},
        {"memory", 500'000'000, 500'000'000, "476.83Mi", "476.84Mi"},
        {"memory", gi, gi - 1, "0.99Gi", "1Gi"},
        {"memory", gi, 1, "0Gi", "0.01Gi"},
        {"memory", gi, 0, "0Gi", "0Gi"},
        {"ephemeral-storage", 10 * gi, 512 * mi, "0.5Gi", "0.5Gi"},
        {"hugepages-2Mi", 4 * mi, 2 * mi, "2Mi", "2Mi"},
        {"memory", 3000, 2000, "2000", "2000"},
        {"memory", 0, 0, "0", "0"},
        {"cpu", 2000, 500, "500m", "500m"},
        {"nvidia.com/gpu", 2, 1, "1", "1"},
    };
    for (const auto& each : cases) {
        const AmountText text(each.resource, each.of_unit);
        EXPECT_EQ(text.rounded_down(each.amount), each.down) << each.of_unit << " " << each.amount;
        EXPECT_EQ(text.rounded_up(each.amount), each.up) << each.of_unit << " " << each.amount;
    }
}

TEST(AmountText, FormatsTheLargestInt64) {
    const std::int64_t most = INT64_MAX;
    EXPECT_EQ(AmountText("memory", most).rounded_down(most), "8191.99Pi");
    EXPECT_EQ(AmountText("memory", most).rounded_up(most), "8192Pi");
}

}  // namespace
}  // namespace capstan::engine::snapshot
