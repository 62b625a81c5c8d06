#include <capstan/from_abi_pods.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <capstan/to_abi.hpp>

#include "random_values.hpp"

namespace capstan {
namespace {

TEST(PodsFromAbi, ReverseToAbi) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        testing::RandomValues random(seed);
        const PodEquivalenceGroup pods = random.equivalence_group();
        const ScaleUpOption option = random.option(7);
        AbiArena arena;
        const auto pods_again = equivalence_group_from_abi(arena.to_abi(pods));
        ASSERT_TRUE(pods_again) << pods_again.error();
        EXPECT_EQ(*pods_again, pods);
        const auto option_again = option_from_abi(arena.to_abi(option), 7);
        ASSERT_TRUE(option_again) << option_again.error();
        EXPECT_TRUE(*option_again == option);
    }
}

TEST(PodsFromAbi, RejectUnknownOperatorsAndEffects) {
    PodEquivalenceGroup pods{.affinity_required = {{{{"zone", Operator::in, {"a"}}}}},
                             .tolerations = {{"k"}, {"l"}}};
    const auto refusal = [&] {
        AbiArena arena;
        const auto raised = equivalence_group_from_abi(arena.to_abi(pods));
        return raised ? "taken" : raised.error().message;
    };
    EXPECT_EQ(refusal(), "taken");
    pods.tolerations[1].effect = static_cast<Effect>(9);
    EXPECT_EQ(refusal(), "tolerations[1].effect is 9, which is unknown");
    pods.tolerations[0].op = static_cast<Toleration::Op>(3);
    EXPECT_EQ(refusal(), "tolerations[0].op is 3, which is unknown");
    pods.affinity_required[0].labels[0].op = static_cast<Operator>(0);
    EXPECT_EQ(refusal(), "affinity_required[0].labels[0].op is 0, which is unknown");
    pods.affinity_required[0].weight = 101;
    EXPECT_EQ(refusal(), "affinity_required[0].weight is 101");
}

/// One valid option, in which a test breaks one place.
class MalformedOption : public ::testing::Test {
protected:
    std::string refusal() const {
        const auto raised = option_from_abi(raw, 2);
        return raised ? "taken" : raised.error().message;
    }
    const ScaleUpOption option{
        .group = {.id = NodeGroupId("web")},
        .node = std::make_shared<const NodeTemplate>(NodeTemplate{.name = "node"}),
        .pods = share({{0, 1}, {1, 2}}),
        .similar = {NodeGroupId("web-b")}};
    AbiArena arena;
    capstan_option raw = arena.to_abi(option);
};

TEST_F(MalformedOption, CanHaveNoTemplateAndNoPods) {
    raw.node = nullptr;
    raw.pods = {};
    const auto raised = option_from_abi(raw, 0);
    ASSERT_TRUE(raised) << raised.error();
    EXPECT_EQ(raised->node, nullptr);
    EXPECT_EQ(raised->pods, nullptr);
}

TEST_F(MalformedOption, WithoutAGroupIsRejected) {
    raw.group = nullptr;
    EXPECT_EQ(refusal(), "group is NULL");
}

TEST_F(MalformedOption, IsReportedWithItsPath) {
    capstan_template nameless = *raw.node;
    nameless.name = {};
    raw.node = &nameless;
    EXPECT_EQ(refusal(), "node.name is empty");
    capstan_group anonymous = *raw.group;
    anonymous.id = {};
    raw.group = &anonymous;
    EXPECT_EQ(refusal(), "group.id is empty");
}

TEST_F(MalformedOption, WithUnknownPodsIsRejected) {
    EXPECT_EQ(refusal(), "taken");
    const auto raised = option_from_abi(raw, 1);
    ASSERT_FALSE(raised);
    EXPECT_EQ(raised.error().message, "pods[1].equivalence_group is 1, the request has 1");
}

TEST_F(MalformedOption, WithImpossibleNumbersIsRejected) {
    raw.present = CAPSTAN_OPTION_PRICE;
    raw.price_per_hour = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refusal(), "price_per_hour is not a number");
    raw.nodes = 0;
    EXPECT_EQ(refusal(), "nodes is 0, expected at least 1");
}

}  // namespace
}  // namespace capstan
