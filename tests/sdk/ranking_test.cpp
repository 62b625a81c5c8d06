#include <capstan/ranking.hpp>

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using ::testing::IsEmpty;
using testing::option;
using testing::Question;

struct FewerNodes {
    bool better(int a, int b) const { return a < b; }
    std::string describe(int nodes) const { return "needs " + counted(nodes, "node"); }
};

/// Options also tie with one node more than the best.
struct NearlyFewest : FewerNodes {
    bool ties(int best, int other) const { return other <= best + 1; }
};

template <class Ranking>
struct Ranks {
    void filter(const Call& call, const ExpanderRequest& question, const Selection& keep) const {
        std::vector<Ranked<int>> ranked;
        for (const OptionView o : question.options()) {
            if (o.nodes() > 0) ranked.push_back({o, o.nodes()});
        }
        keep_best(call, keep, ranked, Ranking{});
    }
};

TEST(KeepBest, KeepsTheBestAndNamesTheNext) {
    const FakeCall call;
    EXPECT_THAT(testing::kept(Ranks<FewerNodes>(),
                              Question({option("a").nodes(3), option("b").nodes(1)}), call),
                ElementsAre("b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps b: needs 1 node; next best a: needs 3 nodes"));
}

TEST(KeepBest, KeepsAllTiesAndCountsThem) {
    const FakeCall call;
    EXPECT_THAT(testing::kept(Ranks<FewerNodes>(),
                              Question({option("a").nodes(2), option("b").nodes(2)}), call),
                ElementsAre("a", "b"));
    EXPECT_THAT(call.explanations(), ElementsAre("keeps a, b (2 of 2): needs 2 nodes"));
}

TEST(KeepBest, UsesTheTiesOfTheRanking) {
    const Question question({option("a").nodes(3), option("b").nodes(2), option("c").nodes(4)});
    const FakeCall call;
    EXPECT_THAT(testing::kept(Ranks<NearlyFewest>(), question, call), ElementsAre("a", "b"));
    EXPECT_THAT(call.explanations(), ElementsAre("keeps a, b (2 of 3), such as b: needs 2 nodes; "
                                                 "next best c: needs 4 nodes"));
}

TEST(KeepBest, KeepsNothingIfNoOptionIsRanked) {
    const FakeCall call;
    EXPECT_THAT(testing::kept(Ranks<FewerNodes>(), Question({option("a").nodes(0)}), call),
                IsEmpty());
    EXPECT_THAT(call.explanations(), IsEmpty());
}

}  // namespace
}  // namespace capstan
