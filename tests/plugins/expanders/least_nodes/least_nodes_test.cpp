#include "least_nodes.hpp"

#include <gmock/gmock.h>

#include "any_order.hpp"

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using ::testing::IsEmpty;
using testing::kept;
using testing::option;
using testing::Question;

TEST(LeastNodes, KeepsTheOptionThatNeedsTheFewestNodes) {
    const Question question({option("a").nodes(2), option("b").nodes(1), option("c").nodes(3)});
    const FakeCall call;
    EXPECT_THAT(kept(LeastNodes(), question, call), ElementsAre("b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps b: needs 1 node; next best a: needs 2 nodes"));
}

TEST(LeastNodes, KeepsAllTies) {
    EXPECT_THAT(kept(LeastNodes(),
                     Question({option("a").nodes(2), option("b").nodes(5), option("c").nodes(2)})),
                ElementsAre("a", "c"));
}

TEST(LeastNodes, SkipsAnOptionWithoutNodes) {
    const Question question({option("a").nodes(0), option("b").nodes(7), option("c").nodes(-1)});
    const FakeCall call;
    EXPECT_THAT(kept(LeastNodes(), question, call), ElementsAre("b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("leaves out a, c: no new nodes", "keeps b: needs 7 nodes"));
}

TEST(LeastNodes, KeepsNothingIfNoOptionHasNodes) {
    EXPECT_THAT(kept(LeastNodes(), Question({option("a").nodes(0), option("b").nodes(0)})),
                IsEmpty());
}

TEST(LeastNodes, IgnoresTheOrderOfOptions) {
    EXPECT_EQ(tests::find_order_that_matters(
                  LeastNodes(),
                  Question({option("a").nodes(3), option("b").nodes(2), option("c").nodes(2)})),
              std::nullopt);
}

}  // namespace
}  // namespace capstan::expanders
