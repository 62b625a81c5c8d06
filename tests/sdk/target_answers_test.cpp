#include <capstan/target_answers.hpp>

#include <gtest/gtest.h>

namespace capstan {
namespace {

const NodeGroupId web_group("web");

Resize growth(int delta, int expected, std::string key = {}) {
    Resize out{.group = web_group, .delta = delta, .expected_target = expected};
    out.idempotency_key = std::move(key);
    return out;
}

TEST(TargetAnswers, CountUntilAListThatWasAskedForLaterShowsThem) {
    TargetAnswers answers;
    const std::uint64_t before = answers.moment();
    answers.agree(growth(2, 3), 5);
    EXPECT_EQ(answers.counted(web_group, 3), 5);
    answers.see(web_group, 5, before);
    EXPECT_EQ(answers.counted(web_group, 3), 5) << "that list is older than the answer";
    answers.see(web_group, 4, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 4), 5);
    answers.see(web_group, 5, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 5), 5);
    EXPECT_EQ(answers.counted(web_group, 4), 4) << "a machine was lost since";
}

TEST(TargetAnswers, MachinesThatWereRemovedCountNoMoreAndAreTakenOffOnce) {
    TargetAnswers answers;
    answers.lower(web_group, 2, 5);
    EXPECT_EQ(answers.counted(web_group, 5), 3);
    EXPECT_TRUE(answers.suits(growth(1, 3), 5));
    answers.see(web_group, 5, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 5), 3) << "the list lags";
    answers.see(web_group, 3, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 3), 3);
    EXPECT_FALSE(answers.suits(growth(1, 1), 3));
}

TEST(TargetAnswers, ARemovalAndAnIncreaseCountTogetherWhileTheListLags) {
    TargetAnswers answers;
    answers.lower(web_group, 2, 5);
    answers.agree(growth(1, 3), 4);
    EXPECT_EQ(answers.counted(web_group, 5), 4);
    EXPECT_TRUE(answers.suits(growth(1, 4), 5));
    answers.see(web_group, 4, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 4), 4);
}

TEST(TargetAnswers, ARemovalRightAfterAnIncreaseIsSeenOnceBothAre) {
    TargetAnswers answers;
    answers.agree(growth(2, 3), 5);
    answers.lower(web_group, 1, 3);
    EXPECT_EQ(answers.counted(web_group, 3), 4);
    answers.see(web_group, 4, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 4), 4);
}

TEST(TargetAnswers, RemovalsThatOthersHaveHiddenCanBeForgotten) {
    TargetAnswers answers;
    answers.lower(web_group, 1, 5);
    answers.see(web_group, 6, answers.moment());
    EXPECT_EQ(answers.counted(web_group, 6), 5) << "a list that lags looks the same";
    answers.forget_removals(web_group);
    EXPECT_EQ(answers.counted(web_group, 6), 6);
    answers.forget_removals(NodeGroupId("db"));
}

TEST(TargetAnswers, OfAGroupThatWasNeverChangedTheListCounts) {
    const TargetAnswers answers;
    EXPECT_EQ(answers.counted(web_group, 3), 3);
    EXPECT_TRUE(answers.suits(growth(1, 3), 3));
    EXPECT_FALSE(answers.suits(growth(1, 2), 3));
    EXPECT_FALSE(answers.is_repeat(growth(1, 3, "k"), 4, 3));
}

TEST(TargetAnswers, ARequestIsRepeatedByItsKeyAlone) {
    TargetAnswers answers;
    answers.begin(growth(1, 3, "k"));
    EXPECT_FALSE(answers.is_repeat(growth(1, 3, "k"), 4, 3)) << "it was not carried out";
    EXPECT_TRUE(answers.is_repeat(growth(1, 3, "k"), 4, 4)) << "it was, without an answer";
    EXPECT_FALSE(answers.is_repeat(growth(1, 3, "l"), 4, 4));
    answers.agree(growth(1, 3, "k"), 4);
    EXPECT_TRUE(answers.is_repeat(growth(1, 3, "k"), 4, 3)) << "the list lags";
    answers.agree(growth(1, 3), 4);
    EXPECT_FALSE(answers.is_repeat(growth(1, 3), 4, 4)) << "without a key each is its own";
}

}  // namespace
}  // namespace capstan
