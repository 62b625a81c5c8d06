#include <capstan/resources.hpp>

#include <cstdint>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace capstan {
namespace {

const Resources machine{{"memory", 32_GiB}, {"cpu", 4_cpu}, {"pods", 110}};

TEST(Resources, DistinguishAbsentFromZero) {
    const Resources none{{"nvidia.com/gpu", 0}};
    EXPECT_EQ(none.find("nvidia.com/gpu"), 0);
    EXPECT_EQ(none.find("cpu"), std::nullopt);
    EXPECT_EQ(none.amount("cpu"), 0);
    EXPECT_NE(none, Resources());
}

TEST(Resources, AreSortedByName) {
    EXPECT_EQ(machine,
              (Resources{{"pods", 110}, {"cpu", 4000}, {"memory", std::int64_t{32} << 30}}));
    EXPECT_EQ(machine.begin()->resource, "cpu");
    EXPECT_EQ((Resources{{"cpu", 1}, {"cpu", 2}}), (Resources{{"cpu", 2}}))
        << "the last one is used";
}

TEST(Resources, AddSubtractAndScaleByName) {
    const Resources pod{{"cpu", 500_mcpu}, {"example.com/fpga", 1}};
    EXPECT_EQ(
        machine + pod,
        (Resources{{"cpu", 4500}, {"example.com/fpga", 1}, {"memory", 32_GiB}, {"pods", 110}}));
    EXPECT_EQ((machine - pod).find("example.com/fpga"), -1) << "a shortage is a negative amount";
    EXPECT_EQ(pod * 9, (Resources{{"cpu", 4500}, {"example.com/fpga", 9}}));
    Resources doubled = pod;
    doubled += doubled;
    EXPECT_EQ(doubled, pod * 2);
}

TEST(Resources, SaturateAtTheEndsOfTheirRange) {
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    const Resources large{{"memory", highest}}, small{{"memory", lowest}};
    EXPECT_EQ((large + large).amount("memory"), highest);
    EXPECT_EQ((large * highest).amount("memory"), highest);
    EXPECT_EQ((small - large).amount("memory"), lowest);
    EXPECT_EQ((Resources() - small).amount("memory"), highest);
}

TEST(Resources, AreReadFromKubernetesQuantities) {
    EXPECT_EQ(*parse_resources({{"cpu", "1500m"}, {"memory", "2Gi"}, {"nvidia.com/gpu", "1"}}),
              (Resources{{"cpu", 1500}, {"memory", 2_GiB}, {"nvidia.com/gpu", 1}}));
    EXPECT_EQ(parse_resources({{"cpu", "1"}, {"memory", ""}}).error().message,
              "memory: quantity \"\": empty; write it like \"4\", \"500m\" or \"32Gi\"");
}

TEST(Resources, SurviveARoundTripThroughTheAbi) {
    const auto crossing = to_abi(machine);
    ASSERT_EQ(crossing.size(), 3u);
    EXPECT_EQ(text(crossing[0].resource), "cpu");
    EXPECT_EQ(crossing[0].resource.ptr, machine.begin()->resource.data()) << "names are borrowed";
    EXPECT_EQ(Resources(View<capstan_quantity>(array_of(crossing))), machine);
}

TEST(Resources, UseTheFirstOfTwoAmountsWithOneName) {
    const std::vector<capstan_quantity> twice = {{str("cpu"), 1}, {str("cpu"), 2}};
    EXPECT_EQ(Resources(View<capstan_quantity>(array_of(twice))), (Resources{{"cpu", 1}}));
}

TEST(Resources, ReportWhatIsMissing) {
    const Resources room{{"cpu", 2_cpu}, {"memory", 12_GiB}};
    const Resources need{{"cpu", 1_cpu}, {"memory", 24_GiB}, {"nvidia.com/gpu", 2}};
    EXPECT_FALSE(fits_in(need, room));
    EXPECT_EQ(find_shortage(need, room),
              "needs 24Gi of memory, 12Gi are free; needs 2 of nvidia.com/gpu, 0 are free");
    EXPECT_TRUE(fits_in(room, room));
    EXPECT_EQ(find_shortage(room, room), std::nullopt);
}

TEST(Resources, FitAnOvercommittedNodeIfTheyNeedNothingThatItLacks) {
    const Resources room{{"cpu", 2_cpu}, {"memory", -5}};
    EXPECT_TRUE(fits_in({{"cpu", 1_cpu}, {"memory", 0}}, room));
    EXPECT_FALSE(fits_in({{"cpu", 1_cpu}, {"memory", 1}}, room));
}

TEST(Resources, AreFormattedForPeople) {
    std::ostringstream out;
    out << machine << Resources();
    EXPECT_EQ(out.str(), "{cpu: 4, memory: 32Gi, pods: 110}{}");
}

}  // namespace
}  // namespace capstan
