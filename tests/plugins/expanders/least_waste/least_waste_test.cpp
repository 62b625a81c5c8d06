#include "least_waste.hpp"

#include <gmock/gmock.h>

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

PodEquivalenceGroup asking(Resources requests) {
    PodEquivalenceGroup out = testing::pods("web");
    out.requests = std::move(requests);
    return out;
}
/// Each option helps the same pod, which requests one core and 1Gi.
Question question(std::vector<OptionBuilder> options) { return Question(std::move(options)); }
LeastWaste expander(LeastWasteConfig config = {}) { return LeastWaste(std::move(config)); }

TEST(LeastWaste, KeepsTheNodeThatFitsBest) {
    const FakeCall call;
    const auto options =
        question({option("large").cpu("4").memory("4Gi"), option("small").cpu("2").memory("1Gi")});
    EXPECT_THAT(kept(expander(), options, call), ElementsAre("small"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps small: wastes 50% of cpu, 0% of memory; next best large: "
                            "wastes 75% of cpu, 75% of memory"));
}

// Upstream's vectors: pods of 500m cpu and 500Mi; a balanced node, one with much memory, one with
// much cpu, and one with little cpu.
TEST(LeastWaste, MatchesUpstream) {
    const std::vector<PodEquivalenceGroup> pods{asking({{"cpu", 500}, {"memory", 500_MiB}})};
    const auto balanced = option("balanced").cpu("1").memory("1000Mi");
    const auto memory = option("high-memory").cpu("1").memory("10000Mi");
    const auto cpu = option("high-cpu").cpu("10").memory("1000Mi");
    const auto low = option("low-cpu").cpu("500m").memory("1000Mi");
    EXPECT_THAT(kept(expander(), Question({balanced}, pods)), ElementsAre("balanced"));
    EXPECT_THAT(kept(expander(), Question({balanced, memory}, pods)), ElementsAre("balanced"));
    EXPECT_THAT(kept(expander(), Question({balanced, memory, cpu}, pods)), ElementsAre("balanced"));
    EXPECT_THAT(kept(expander(), Question({balanced, memory, cpu, low}, pods)),
                ElementsAre("low-cpu"));
}

TEST(LeastWaste, TreatsOneLargeNodeLikeTwoOfHalfTheSize) {
    const std::vector<PodEquivalenceGroup> pods{asking({{"cpu", 3333}, {"memory", 7_GiB}})};
    EXPECT_THAT(kept(expander(), Question({option("large").cpu("12").memory("48Gi").nodes(1),
                                           option("medium").cpu("4").memory("16Gi").nodes(3),
                                           option("small").cpu("6").memory("24Gi").nodes(2)},
                                          pods)),
                ElementsAre("large", "medium", "small"));
}

TEST(LeastWaste, KeepsTheSmallestNodeForPodsWithoutRequests) {
    const FakeCall call;
    const std::vector<PodEquivalenceGroup> pods{asking({})};
    EXPECT_THAT(kept(expander(),
                     Question({option("a-huge").cpu("64").memory("488Gi"),
                               option("b-middle").cpu("8").memory("61Gi"),
                               option("c-small").cpu("2").memory("4Gi")},
                              pods),
                     call),
                ElementsAre("c-small"));
    EXPECT_THAT(
        call.explanations(),
        ElementsAre("3 options waste the same share; c-small leaves the least unused",
                    "keeps c-small: wastes 100% of cpu, 100% of memory; next best a-huge: wastes "
                    "100% of cpu, 100% of memory"));
}

TEST(LeastWaste, KeepsTheCheapestOfEqualOptionsIfAllPricesAreKnown) {
    const std::vector<PodEquivalenceGroup> pods{asking({})};
    auto huge = option("a-huge").cpu("64").memory("488Gi").price(0.1);
    auto small = option("c-small").cpu("2").memory("4Gi").price(24);
    EXPECT_THAT(kept(expander(), Question({huge, small}, pods)), ElementsAre("a-huge"));
    const auto unpriced = option("b-unpriced").cpu("2").memory("4Gi");
    EXPECT_THAT(kept(expander(), Question({huge, unpriced, small}, pods)),
                ElementsAre("b-unpriced", "c-small"));
}

TEST(LeastWaste, DoesNotComparePricesOfOptionsForOtherPods) {
    const std::vector<PodEquivalenceGroup> pods{asking({{"cpu", 1_cpu}, {"memory", 1_GiB}})};
    EXPECT_THAT(kept(expander(), Question({option("one").cpu("2").memory("2Gi").pods(1).price(1),
                                           option("two").cpu("4").memory("4Gi").pods(2).price(3)},
                                          pods)),
                ElementsAre("one", "two"));
}

TEST(LeastWaste, LeavesTiesToTheNextStageIfThereIsATolerance) {
    const std::vector<PodEquivalenceGroup> pods{asking({})};
    EXPECT_THAT(
        kept(expander({.tolerance = 0.01}), Question({option("huge").cpu("64").memory("488Gi"),
                                                      option("small").cpu("2").memory("4Gi")},
                                                     pods)),
        ElementsAre("huge", "small"));
}

TEST(LeastWaste, TreatsEqualSumsAsEqualWhateverTheirParts) {
    // 0.1 + 0.2 + 0.6 and 0.6 + 0.2 + 0.1 are not the same double.
    const std::vector<PodEquivalenceGroup> pods{asking({{"a", 90}, {"b", 80}, {"c", 40}}),
                                                asking({{"a", 40}, {"b", 80}, {"c", 90}})};
    const auto machine = [](std::string group) {
        return option(std::move(group))
            .resource("a", "100")
            .resource("b", "100")
            .resource("c", "100");
    };
    EXPECT_THAT(kept(expander({.weights = {{"cpu", 0}, {"memory", 0}}}),
                     Question({machine("x").pods(1, 0), machine("y").pods(1, 1)}, pods)),
                ElementsAre("x", "y"));
}

TEST(LeastWaste, CountsAGpuThatIsNotRequested) {
    const FakeCall call;
    const auto options =
        question({option("gpu").cpu("2").memory("2Gi").resource("nvidia.com/gpu", "1"),
                  option("plain").cpu("4").memory("2Gi")});
    EXPECT_THAT(kept(expander(), options, call), ElementsAre("plain"));
    EXPECT_THAT(call.explanations().front(), HasSubstr("100% of nvidia.com/gpu"));
    // Upstream's rule ignores it.
    EXPECT_THAT(
        kept(expander({.weights = {{"cpu", 1}, {"memory", 1}}, .other_weight = 0}), options),
        ElementsAre("gpu"));
}

TEST(LeastWaste, CountsUnusedStorage) {
    const std::vector<PodEquivalenceGroup> pods{
        asking({{"cpu", 1_cpu}, {"ephemeral-storage", 50_GiB}})};
    EXPECT_THAT(kept(expander(), Question({option("big-disk").resource("ephemeral-storage", "1Ti"),
                                           option("disk").resource("ephemeral-storage", "100Gi")},
                                          pods)),
                ElementsAre("disk"));
}

TEST(LeastWaste, DoesNotTreatUnknownStorageAsZero) {
    EXPECT_THAT(
        kept(expander(), question({option("silent").cpu("2"), option("stated").cpu("2").resource(
                                                                  "ephemeral-storage", "100Gi")})),
        ElementsAre("silent", "stated"));
}

TEST(LeastWaste, IgnoresPodSlotsByDefault) {
    const auto options =
        question({option("many").resource("pods", "250"), option("few").resource("pods", "8")});
    EXPECT_THAT(kept(expander(), options), ElementsAre("few", "many"));
}

TEST(LeastWaste, AppliesTheConfiguredWeights) {
    const auto options =
        question({option("a").cpu("2").memory("4Gi"), option("b").cpu("4").memory("2Gi")});
    EXPECT_THAT(kept(expander(), options), ElementsAre("a", "b"));
    EXPECT_THAT(kept(expander({.weights = {{"cpu", 2}}}), options), ElementsAre("a"));
    EXPECT_THAT(kept(expander({.weights = {{"memory", 1.5}}}), options), ElementsAre("b"));
}

TEST(LeastWaste, KeepsOptionsWithinTheTolerance) {
    // All waste the same share of memory; of cpu 50%, 52% and 60%.
    const auto options =
        question({option("a").cpu("2000m"), option("b").cpu("2084m"), option("c").cpu("2500m")});
    EXPECT_THAT(kept(expander({.tolerance = 0.019}), options), ElementsAre("a"));
    EXPECT_THAT(kept(expander({.tolerance = 0.021}), options), ElementsAre("a", "b"));
    EXPECT_THAT(kept(expander({.tolerance = 0.1}), options), ElementsAre("a", "b", "c"));
}

TEST(LeastWaste, MeasuresFreeAllocatableOrCapacity) {
    testing::NodeTemplateBuilder reserved("reserved");
    reserved.capacity("cpu", "4").allocatable("cpu", "2").free("cpu", "1");
    testing::NodeTemplateBuilder plain("plain");
    plain.capacity("cpu", "3").allocatable("cpu", "3").free("cpu", "3");
    const auto options = question({option("reserved").node(reserved), option("plain").node(plain)});
    EXPECT_THAT(kept(expander({.of = LeastWasteConfig::Of::allocatable}), options),
                ElementsAre("reserved"));
    EXPECT_THAT(kept(expander({.of = LeastWasteConfig::Of::capacity}), options),
                ElementsAre("plain"));
    EXPECT_THAT(kept(expander({.of = LeastWasteConfig::Of::free}), options),
                ElementsAre("reserved"));
}

TEST(LeastWaste, SkipsAGroupWithoutCpuOrMemoryInItsTemplate) {
    for (const auto& unknown :
         {option("unknown").without_template(), option("unknown").cpu(""),
          option("unknown").memory(""), option("unknown").cpu("0"), option("unknown").nodes(0)}) {
        const FakeCall call;
        EXPECT_THAT(
            kept(expander(), question({option("known").cpu("64").memory("512Gi"), unknown}), call),
            ElementsAre("known"));
        EXPECT_EQ(call.explanations().front(),
                  "leaves out unknown: no template with cpu and memory");
    }
}

TEST(LeastWaste, KeepsAllIfNoTemplateIsKnown) {
    const FakeCall call;
    EXPECT_THAT(
        kept(expander(), question({option("a").without_template(), option("b").cpu("")}), call),
        ElementsAre("a", "b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps all 2 options: no option has a template with cpu and memory"));
}

TEST(LeastWaste, NeverComputesANegativeWaste) {
    const std::vector<PodEquivalenceGroup> pods{asking({{"cpu", 9_cpu}, {"memory", 1_GiB}})};
    EXPECT_THAT(kept(expander(), Question({option("over").cpu("2").memory("4Gi"),
                                           option("fits").cpu("9").memory("2Gi")},
                                          pods)),
                ElementsAre("fits"));
}

TEST(LeastWaste, CountsExabytesWithoutOverflow) {
    const std::vector<PodEquivalenceGroup> pods{
        asking({{"cpu", 1_cpu}, {"memory", Bytes(4'000'000'000'000'000'000)}})};
    EXPECT_THAT(kept(expander(), Question({option("a").memory("8E").nodes(1'000'000),
                                           option("b").memory("8E").nodes(1)},
                                          pods)),
                ElementsAre("b"));
}

TEST(LeastWaste, IgnoresTheOrderOfOptions) {
    EXPECT_EQ(
        tests::find_order_that_matters(
            expander(),
            question({option("a").cpu("3"), option("b").cpu("2").resource("x", "3"),
                      option("c").cpu("2"), option("d").cpu("2"), option("e").without_template()})),
        std::nullopt);
}

}  // namespace
}  // namespace capstan::expanders
