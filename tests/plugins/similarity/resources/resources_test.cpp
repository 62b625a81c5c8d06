#include "resources.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <random>

#include <capstan/testing/builders.hpp>

namespace capstan::similarity {
namespace {

using testing::FakeCall;
using testing::node_template;
using testing::similar;

TEST(ResourceTolerance, IsAShareOfTheLargerAmountIncludingTheBoundary) {
    EXPECT_TRUE(is_within(Tolerance::of(0.05), 1000, 950));
    EXPECT_FALSE(is_within(Tolerance::of(0.05), 1000, 949));
    EXPECT_TRUE(is_within(Tolerance::of(0.05), 950, 1000));
    EXPECT_TRUE(is_within(Tolerance::of(1), 0, 1000));
}

TEST(ResourceTolerance, IsExactWhereDoublesAreNot) {
    // As doubles, 0.07 x 100 is a little more than 7, and 2^53 + 1 is 2^53.
    EXPECT_FALSE(is_within(Tolerance::of(0.07), 100'000'000'000'000'000, 92'999'999'999'999'999));
    EXPECT_TRUE(is_within(Tolerance::of(0.07), 100'000'000'000'000'000, 93'000'000'000'000'000));
    EXPECT_FALSE(is_within(Tolerance::of(0), 9'007'199'254'740'993, 9'007'199'254'740'992));
}

TEST(ResourceTolerance, AcceptsEqualAmountsAndTheLargestNumbers) {
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t n :
         {lowest, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, highest}) {
        EXPECT_TRUE(is_within(Tolerance::of(0), n, n)) << n;
    }
    EXPECT_FALSE(is_within(Tolerance::of(1), lowest, highest));
    EXPECT_TRUE(is_within(Tolerance::of(1), lowest, 0));
}

TEST(ResourcesCheck, ComparesCapacityThenAllocatableThenFree) {
    const ResourcesCheck check({});
    auto a = node_template("a").capacity("cpu", "4").allocatable("cpu", "3").free("cpu", "2");
    auto b = node_template("b").capacity("cpu", "8").allocatable("cpu", "7").free("cpu", "6");
    EXPECT_EQ(similar(check, a, b).because,
              "capacity: cpu differs, 4 and 8 are 50% apart, they must be equal");
    b.capacity("cpu", "4");
    EXPECT_EQ(similar(check, a, b).because,
              "allocatable: cpu differs, 3 and 7 are 57.1% apart, 5% is allowed");
    b.allocatable("cpu", "3");
    EXPECT_EQ(similar(check, a, b).because,
              "free: cpu differs, 2 and 6 are 66.7% apart, 5% is allowed");
}

// Other hosts need not sort the resources, and may name one twice: the first is used.
TEST(ResourcesCheck, AcceptsResourcesInAnyOrder) {
    const ResourcesCheck check({});
    const std::vector<capstan_quantity> forward{{str("cpu"), 4000}, {str("memory"), 1000}};
    const std::vector<capstan_quantity> backward{
        {str("memory"), 1000}, {str("cpu"), 4000}, {str("memory"), 7}};
    capstan_template a{}, b{};
    a.struct_size = b.struct_size = sizeof a;
    a.capacity = a.allocatable = a.free = array_of(forward);
    b.capacity = b.allocatable = b.free = array_of(backward);
    const FakeCall call;
    EXPECT_EQ(check.similar(call.call(), TemplateView(a), TemplateView(b)).verdict,
              SimilarityVerdict::agrees);
    EXPECT_EQ(check.bucket(call.call(), TemplateView(a)),
              check.bucket(call.call(), TemplateView(b)));
}

/// Random nodes that are often similar.
NodeTemplate any_node(std::mt19937& random) {
    const auto one_of = [&](std::initializer_list<const char*> choices) {
        return choices.begin()[random() % choices.size()];
    };
    return node_template("n")
        .capacity("cpu", one_of({"4", "8"}))
        .capacity("memory", one_of({"1000", "990", "980"}))
        .capacity("x", one_of({"", "1"}))
        .allocatable("memory", one_of({"900", "870", "840"}))
        .free("memory", one_of({"800", "770"}))
        .free("x", one_of({"", "1"}));
}

TEST(ResourcesCheck, PutsSimilarNodesIntoOneBucket) {
    const FakeCall call;
    int agreed = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        const double tolerances[] = {0, 0.015, 0.05};
        const auto any_tolerance = [&] { return Tolerance::of(tolerances[random() % 3]); };
        const ResourcesCheck check({any_tolerance(), any_tolerance(), any_tolerance()});
        const NodeTemplate a = any_node(random), b = any_node(random);
        if (similar(check, a, b).verdict != SimilarityVerdict::agrees) continue;
        ++agreed;
        AbiArena arena;
        const capstan_template raw_a = arena.to_abi(a), raw_b = arena.to_abi(b);
        EXPECT_EQ(check.bucket(call.call(), TemplateView(raw_a)),
                  check.bucket(call.call(), TemplateView(raw_b)))
            << "seed " << seed;
    }
    EXPECT_GT(agreed, 100);
}

TEST(ResourcesCheck, GivesEquivalentNodesTheSameVerdicts) {
    const FakeCall call;
    const ResourcesCheck check({Tolerance::of(0.015), Tolerance::of(0.05), Tolerance::of(0.05)});
    int equivalent = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        const NodeTemplate a = any_node(random), b = any_node(random), c = any_node(random);
        AbiArena arena;
        const capstan_template raw_a = arena.to_abi(a), raw_b = arena.to_abi(b);
        if (check.equivalence(call.call(), TemplateView(raw_a)) !=
            check.equivalence(call.call(), TemplateView(raw_b)))
            continue;
        ++equivalent;
        EXPECT_EQ(similar(check, a, b).verdict, SimilarityVerdict::agrees) << "seed " << seed;
        EXPECT_EQ(similar(check, a, c).verdict, similar(check, b, c).verdict) << "seed " << seed;
    }
    EXPECT_GT(equivalent, 20);
}

TEST(ResourcesCheck, PutsOtherMachinesIntoOtherBuckets) {
    const ResourcesCheck check({});
    const FakeCall call;
    AbiArena arena;
    const NodeTemplate four = node_template("a").cpu("4"), eight = node_template("b").cpu("8"),
                       gpu = node_template("c").cpu("4").resource("nvidia.com/gpu", "1");
    const auto bucket = [&](const NodeTemplate& node) {
        const capstan_template raw = arena.to_abi(node);
        return check.bucket(call.call(), TemplateView(raw));
    };
    EXPECT_NE(bucket(four), bucket(eight));
    EXPECT_NE(bucket(four), bucket(gpu));
}

}  // namespace
}  // namespace capstan::similarity
