#include "price.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "any_order.hpp"

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using ::testing::HasSubstr;
using testing::kept;
using testing::option;
using testing::OptionBuilder;
using testing::Question;

// As in upstream's test: a pod of one core has the price 20, a pod of half a core and the
// stabilizing pod have the price 10.
const PriceConfig twenty_a_core{.cpu_per_hour = 20, .memory_gib_per_hour = 0};
constexpr std::uint32_t prefers_two_cores = 4, prefers_four_cores = 10;

PodEquivalenceGroup pod_with_cpu(MilliCpu cpu) {
    PodEquivalenceGroup out = testing::pods("web");
    out.requests = {{"cpu", cpu}};
    return out;
}
Question question(std::vector<OptionBuilder> options, std::uint32_t cluster_nodes) {
    return Question(std::move(options), {pod_with_cpu(1_cpu), pod_with_cpu(500_mcpu)},
                    cluster_nodes);
}
OptionBuilder one_core(int nodes, double price) {
    return option("ng1").cpu("1").nodes(nodes).price(price).pods(1, 0).pods(1, 1);
}
OptionBuilder four_cores(int nodes, double price) {
    return option("ng2").cpu("4").nodes(nodes).price(price).pods(1, 0).pods(1, 1);
}
Price expander() { return Price(twenty_a_core); }

TEST(Price, KeepsTheCheaperOption) {
    EXPECT_THAT(
        kept(expander(), question({one_core(2, 20), four_cores(1, 200)}, prefers_two_cores)),
        ElementsAre("ng1"));
    EXPECT_THAT(
        kept(expander(), question({one_core(2, 200), four_cores(1, 100)}, prefers_two_cores)),
        ElementsAre("ng2"));
}

TEST(Price, PrefersASuitableMachineToACheaperOne) {
    EXPECT_THAT(
        kept(expander(), question({one_core(2, 50), four_cores(1, 200)}, prefers_four_cores)),
        ElementsAre("ng2"));
}

TEST(Price, WeighsMachineSizeLessForMoreNodes) {
    EXPECT_THAT(
        kept(expander(), question({one_core(80, 20), four_cores(40, 200)}, prefers_four_cores)),
        ElementsAre("ng1"));
}

TEST(Price, PrefersMorePodsForTheSamePrice) {
    const auto half = option("ng1").cpu("1").nodes(2).price(200).pods(1, 0);
    EXPECT_THAT(kept(expander(), question({half, four_cores(1, 200)}, prefers_two_cores)),
                ElementsAre("ng2"));
}

TEST(Price, PrefersANewGroupOnlyAtHalfThePrice) {
    const auto created = [](double price) {
        return option("ng3").cpu("4").nodes(1).price(price).pods(1, 0).pods(1, 1).new_group();
    };
    EXPECT_THAT(kept(expander(), question({four_cores(1, 200), created(200)}, prefers_two_cores)),
                ElementsAre("ng2"));
    EXPECT_THAT(kept(expander(), question({four_cores(1, 200), created(90)}, prefers_two_cores)),
                ElementsAre("ng3"));
}

TEST(Price, ExplainsItsScores) {
    const FakeCall call;
    kept(expander(), question({one_core(2, 20), four_cores(1, 200)}, prefers_two_cores), call);
    // ng1: (40 + 10) / (30 + 10), times 1 + (2 - 1) * (1 - tanh(1 / 15)). ng2: (200 + 10) / 40,
    // times 2.
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps ng1: scores 2.417 (2 nodes at 40 per hour, pods worth 30); "
                            "next best ng2: scores 10.5 (1 node at 200 per hour, pods worth 30)"));
}

TEST(Price, PrefersLargerMachinesInLargerClusters) {
    EXPECT_EQ(preferred_cores(0), 1);
    EXPECT_EQ(preferred_cores(2), 1);
    EXPECT_EQ(preferred_cores(3), 2);
    EXPECT_EQ(preferred_cores(6), 2);
    EXPECT_EQ(preferred_cores(7), 4);
    EXPECT_EQ(preferred_cores(20), 4);
    EXPECT_EQ(preferred_cores(21), 8);
    EXPECT_EQ(preferred_cores(60), 8);
    EXPECT_EQ(preferred_cores(61), 16);
    EXPECT_EQ(preferred_cores(200), 16);
    EXPECT_EQ(preferred_cores(201), 32);
    EXPECT_EQ(preferred_cores(std::numeric_limits<std::uint32_t>::max()), 32);
}

TEST(Price, TreatsTwiceTooLargeLikeTwiceTooSmall) {
    EXPECT_DOUBLE_EQ(suppressed_unfitness(8, 4, false, 1), 2);
    EXPECT_DOUBLE_EQ(suppressed_unfitness(2, 4, false, 1), 2);
    EXPECT_DOUBLE_EQ(suppressed_unfitness(4, 4, false, 1), 1);
    EXPECT_DOUBLE_EQ(suppressed_unfitness(4, 4, true, 1), 1000);
    EXPECT_DOUBLE_EQ(suppressed_unfitness(8, 4, false, 16), 2 - std::tanh(1.0));
    EXPECT_NEAR(suppressed_unfitness(8, 4, false, 1'000'000), 1, 1e-9);
}

TEST(Price, AvoidsGpuNodesForOtherPods) {
    const auto gpu = four_cores(1, 1).resource("nvidia.com/gpu", "1");
    EXPECT_THAT(kept(expander(), question({one_core(1, 100), gpu}, prefers_four_cores)),
                ElementsAre("ng1"));
}

TEST(Price, SkipsOptionsWithoutPriceOrTemplate) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& unknown :
         {option("x"), option("x").price(nan), option("x").price(-1), option("x").price(HUGE_VAL),
          option("x").price(0).without_template(), option("x").price(0).cpu(""),
          option("x").price(0).nodes(0)}) {
        const FakeCall call;
        EXPECT_THAT(kept(expander(), question({one_core(2, 1e6), unknown}, 1), call),
                    ElementsAre("ng1"));
        EXPECT_EQ(call.explanations().front(), "leaves out x: no price, or no template with cpu");
    }
}

TEST(Price, KeepsAllIfNothingHasAPrice) {
    const FakeCall call;
    EXPECT_THAT(kept(expander(), question({option("a"), option("b")}, 1), call),
                ElementsAre("a", "b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps all 2 options: no option has a price and a template with cpu"));
}

TEST(Price, KeepsAFreeOption) {
    EXPECT_THAT(kept(expander(), question({one_core(1, 0), four_cores(1, 0.001)}, 1)),
                ElementsAre("ng1"));
}

TEST(Price, KeepsAllTies) {
    const auto like_ng2 = option("ng4").cpu("4").nodes(1).price(200).pods(1, 0).pods(1, 1);
    EXPECT_THAT(kept(expander(), question({four_cores(1, 200), like_ng2}, 1)),
                ElementsAre("ng2", "ng4"));
}

TEST(Price, IgnoresTheOrderOfOptions) {
    EXPECT_EQ(
        tests::find_order_that_matters(
            expander(),
            question({one_core(2, 20), four_cores(1, 20), option("x"), option("y").price(5)}, 1)),
        std::nullopt);
}

}  // namespace
}  // namespace capstan::expanders
