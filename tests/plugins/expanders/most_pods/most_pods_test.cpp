#include "most_pods.hpp"

#include <gmock/gmock.h>

#include "any_order.hpp"

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using testing::kept;
using testing::option;
using testing::Question;

TEST(MostPods, KeepsTheOptionThatHelpsTheMostPods) {
    const Question question(
        {option("a").pods(1), option("b").pods(9).nodes(5), option("c").pods(5)});
    const FakeCall call;
    EXPECT_THAT(kept(MostPods(), question, call), ElementsAre("b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps b: schedules 9 pods; next best c: schedules 5 pods"));
}

TEST(MostPods, KeepsAllTies) {
    const Question question({option("a").pods(1), option("b").pods(4), option("c").pods(4)});
    const FakeCall call;
    EXPECT_THAT(kept(MostPods(), question, call), ElementsAre("b", "c"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps b, c (2 of 3): schedules 4 pods; next best a: schedules 1 pod"));
}

TEST(MostPods, KeepsTheOnlyOptionEvenIfItHelpsNoPod) {
    EXPECT_THAT(kept(MostPods(), Question({option("a").pods(0)})), ElementsAre("a"));
}

TEST(MostPods, IgnoresTheOrderOfOptions) {
    EXPECT_EQ(
        tests::find_order_that_matters(
            MostPods(), Question({option("a").pods(3), option("b").pods(4), option("c").pods(4)})),
        std::nullopt);
}

}  // namespace
}  // namespace capstan::expanders
