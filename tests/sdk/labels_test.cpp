#include <capstan/labels.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace capstan {
namespace {

const Labels node{{"zone", "a"}, {"arch", "arm64"}, {"cores", "8"}, {"empty", ""}};

struct Case {
    Requirement requirement;
    bool holds;
};

TEST(Requirement, MatchesLikeKubernetes) {
    const std::vector<Case> cases = {
        {{"zone", Operator::in, {"b", "a"}}, true},
        {{"zone", Operator::in, {"b"}}, false},
        {{"missing", Operator::in, {""}}, false},
        {{"empty", Operator::in, {""}}, true},
        {{"zone", Operator::not_in, {"b"}}, true},
        {{"zone", Operator::not_in, {"a", "b"}}, false},
        {{"missing", Operator::not_in, {"a"}}, true},
        {{"zone", Operator::exists}, true},
        {{"empty", Operator::exists}, true},
        {{"missing", Operator::exists}, false},
        {{"zone", Operator::does_not_exist}, false},
        {{"missing", Operator::does_not_exist}, true},
        {{"cores", Operator::gt, {"7"}}, true},
        {{"cores", Operator::gt, {"8"}}, false},
        {{"cores", Operator::gt, {"-1"}}, true},
        {{"cores", Operator::gt, {"+7"}}, true},
        {{"cores", Operator::lt, {"9"}}, true},
        {{"cores", Operator::lt, {"8"}}, false},
        {{"arch", Operator::gt, {"7"}}, false},
        {{"missing", Operator::lt, {"7"}}, false},
    };
    for (const auto& [r, holds] : cases) {
        EXPECT_EQ(matches(r, node), holds)
            << r.key << " " << name_of(r.op) << " " << ::testing::PrintToString(r.values);
    }
}

TEST(Requirement, NeverMatchesIfItsValuesDoNotFitItsOperator) {
    const std::vector<Requirement> malformed = {
        {"zone", Operator::in},
        {"missing", Operator::not_in},
        {"zone", Operator::exists, {"a"}},
        {"missing", Operator::does_not_exist, {"a"}},
        {"cores", Operator::gt},
        {"cores", Operator::gt, {"1", "2"}},
        {"cores", Operator::gt, {"1.5"}},
        {"cores", Operator::gt, {""}},
        {"cores", Operator::gt, {"+"}},
        {"cores", Operator::gt, {"+-1"}},
        {"cores", Operator::lt, {"9223372036854775808"}},
        {"cores", static_cast<Operator>(99), {"1"}},
    };
    for (const Requirement& r : malformed) {
        EXPECT_FALSE(is_well_formed(r)) << r.key << " " << name_of(r.op);
        EXPECT_FALSE(matches(r, node)) << r.key << " " << name_of(r.op);
    }
}

TEST(LabelSelector, MatchesEverythingIfEmpty) {
    EXPECT_TRUE(matches(LabelSelector{}, node));
    EXPECT_TRUE(matches(LabelSelector{}, Labels{}));
}

TEST(LabelSelector, RequiresAllLabelsAndAllExpressions) {
    const Requirement here{"zone", Operator::in, {"a"}};
    const Requirement elsewhere{"zone", Operator::in, {"b"}};
    EXPECT_TRUE(matches(LabelSelector{{{"arch", "arm64"}}, {here}}, node));
    EXPECT_FALSE(matches(LabelSelector{{{"arch", "amd64"}}, {here}}, node));
    EXPECT_FALSE(matches(LabelSelector{{{"arch", "arm64"}}, {here, elsewhere}}, node));
}

TEST(LabelSelector, RejectsGreaterThan) {
    EXPECT_FALSE(matches(LabelSelector{{}, {{"cores", Operator::gt, {"1"}}}}, node));
}

TEST(NodeSelectorTerm, MatchesNoNodeIfEmpty) {
    EXPECT_FALSE(matches(NodeSelectorTerm{}, node, "n1"));
    EXPECT_FALSE(matches_any({}, node, "n1"));
}

TEST(NodeSelectorTerm, RequiresAllLabelsAndFields) {
    const Requirement here{"zone", Operator::in, {"a"}};
    const Requirement n1{"metadata.name", Operator::in, {"n1"}};
    EXPECT_TRUE(matches(NodeSelectorTerm{{here}, {n1}}, node, "n1"));
    EXPECT_FALSE(matches(NodeSelectorTerm{{here}, {n1}}, node, "n2"));
    EXPECT_TRUE(
        matches(NodeSelectorTerm{{}, {{"metadata.name", Operator::not_in, {"n1"}}}}, node, "n2"));
}

TEST(NodeSelectorTerm, SupportsOnlyMetadataNameWithOneValue) {
    EXPECT_FALSE(
        matches(NodeSelectorTerm{{}, {{"metadata.name", Operator::in, {"n1", "n2"}}}}, node, "n1"));
    EXPECT_FALSE(matches(NodeSelectorTerm{{}, {{"metadata.name", Operator::exists}}}, node, "n1"));
    EXPECT_FALSE(matches(NodeSelectorTerm{{}, {{"spec.x", Operator::not_in, {"n1"}}}}, node, "n1"));
}

TEST(NodeSelectorTerm, MatchesIfOneOfSeveralMatches) {
    const NodeSelectorTerm here{{{"zone", Operator::in, {"a"}}}};
    const NodeSelectorTerm elsewhere{{{"zone", Operator::in, {"b"}}}};
    EXPECT_TRUE(matches_any({elsewhere, {}, here}, node, "n1"));
    EXPECT_FALSE(matches_any({elsewhere, {}}, node, "n1"));
}

TEST(Operator, IsSpelledAsInKubernetes) {
    for (const std::string_view name : {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}) {
        ASSERT_TRUE(find_operator(name)) << name;
        EXPECT_EQ(name_of(*find_operator(name)), name);
    }
    EXPECT_FALSE(find_operator("in"));
}

}  // namespace
}  // namespace capstan
