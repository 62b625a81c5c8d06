#include "first_expander.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>

namespace {

using capstan::testing::FakeSettings;
using capstan::testing::kept;
using capstan::testing::option;
using capstan::testing::Question;
using capstan::testing::settings_of;
using ::testing::ElementsAre;

FirstExpander with_enough(int nodes) {
    FakeSettings settings = settings_of<FirstExpander>();
    settings.set("enough", nodes);
    return FirstExpander(settings.view());
}

TEST(FirstExpander, KeepsTheGroupWithTheMostRoomLeft) {
    const Question request({option("a").nodes(2).sizes({.target = 3, .max = 8}),
                            option("b").nodes(1).sizes({.target = 3, .max = 8})});
    EXPECT_THAT(kept(with_enough(10), request), ElementsAre("b"));
}

TEST(FirstExpander, KeepsAllThatHaveEnough) {
    const Question request({option("a").sizes({.target = 1, .max = 100}),
                            option("b").sizes({.target = 1, .max = 50}),
                            option("c").sizes({.target = 1, .max = 5})});
    EXPECT_THAT(kept(with_enough(10), request), ElementsAre("a", "b"));
}

TEST(FirstExpander, TakesAGroupWithoutAMaximumToHaveEnough) {
    const Question request(
        {option("a").sizes({.max = std::nullopt}), option("b").sizes({.target = 1, .max = 5})});
    EXPECT_THAT(kept(with_enough(10), request), ElementsAre("a"));
}

TEST(FirstExpander, SaysWhy) {
    const capstan::testing::FakeCall call;
    kept(with_enough(10), Question({option("a").nodes(2).sizes({.target = 3, .max = 8})}), call);
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps 1 of 1 option: room for 3 more nodes afterwards"));
}

}  // namespace
