#include <capstan/pod.hpp>

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(PodEquivalenceGroup, FitsEverywhereWithoutSelectorAndAffinity) {
    EXPECT_TRUE(selects(PodEquivalenceGroup{}, {}, "n1"));
}

TEST(PodEquivalenceGroup, RequiresItsSelectorAndOneOfItsAffinityTerms) {
    PodEquivalenceGroup pods;
    pods.node_selector = {{"arch", "arm64"}};
    pods.affinity_required = {{{{"zone", Operator::in, {"a"}}}}, {{{"zone", Operator::in, {"b"}}}}};
    EXPECT_TRUE(selects(pods, {{"arch", "arm64"}, {"zone", "b"}}, "n1"));
    EXPECT_FALSE(selects(pods, {{"arch", "amd64"}, {"zone", "b"}}, "n1"));
    EXPECT_FALSE(selects(pods, {{"arch", "arm64"}, {"zone", "c"}}, "n1"));
}

TEST(PodEquivalenceGroup, FitsNowhereIfAllItsRequiredTermsAreEmpty) {
    PodEquivalenceGroup pods;
    pods.affinity_required = {NodeSelectorTerm{}};
    EXPECT_FALSE(selects(pods, {{"zone", "a"}}, "n1"));
}

}  // namespace
}  // namespace capstan
