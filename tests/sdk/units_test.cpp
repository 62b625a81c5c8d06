#include <capstan/units.hpp>

#include <concepts>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <capstan/quantity.hpp>

namespace capstan {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };

static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, MilliCpu>, "memory + cpu does not compile");
static_assert(!Addable<Bytes, int>);
static_assert(!std::convertible_to<std::int64_t, Bytes>);
static_assert(!std::convertible_to<Bytes, std::int64_t>);
static_assert(4_cpu == 4000_mcpu);
static_assert(1_GiB == 1024_MiB && 1_MiB == 1024_KiB && 1_KiB == 1024_B && 1_TiB == 1024_GiB);
static_assert(250_mcpu < 1_cpu);

TEST(Units, CanBeAddedAndScaled) {
    EXPECT_EQ(3_GiB + 512_MiB, 3584_MiB);
    EXPECT_EQ(3 * (4_cpu - 500_mcpu), 10500_mcpu);
    EXPECT_EQ((250_mcpu).count(), 250);
}

TEST(Units, SaturateAtTheEndsOfTheirRange) {
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ((Bytes(highest) + 1_B).count(), highest);
    EXPECT_EQ((Bytes(highest) * -3).count(), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ((20'000'000'000_GiB).count(), highest);
    EXPECT_EQ((18446744073709551615_cpu).count(), highest);
}

TEST(Units, AreReadAndWrittenAsQuantities) {
    EXPECT_EQ(*parse_cpu("0.5"), 500_mcpu);
    EXPECT_EQ(*parse_bytes("32Gi"), 32_GiB);
    EXPECT_EQ(to_string(1500_mcpu), "1500m");
    EXPECT_EQ(to_string(32_GiB), "32Gi");
    EXPECT_FALSE(parse_bytes("32gb"));
}

}  // namespace
}  // namespace capstan
