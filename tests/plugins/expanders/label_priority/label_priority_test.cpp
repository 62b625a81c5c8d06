#include "label_priority.hpp"

#include <gmock/gmock.h>

#include "any_order.hpp"

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using testing::kept;
using testing::option;
using testing::OptionBuilder;
using testing::Question;

constexpr const char* label = "zalando.org/scaling-priority";

OptionBuilder with(std::string group, std::string priority) {
    return option(std::move(group)).label(label, std::move(priority));
}
LabelPriority expander() { return LabelPriority({}); }

TEST(LabelPriority, KeepsTheHighestLabel) {
    const FakeCall call;
    EXPECT_THAT(
        kept(expander(), Question({with("a", "200"), with("b", "300"), with("c", "100")}), call),
        ElementsAre("b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps b: priority 300; next best a: priority 200"));
}

TEST(LabelPriority, KeepsAllTies) {
    EXPECT_THAT(kept(expander(), Question({with("a", "200"), with("b", "300"), with("c", "300")})),
                ElementsAre("b", "c"));
}

TEST(LabelPriority, TreatsAMissingLabelAsZero) {
    EXPECT_THAT(kept(expander(), Question({with("a", "100"), option("b")})), ElementsAre("a"));
    EXPECT_THAT(kept(expander(), Question({with("a", "0"), option("b")})), ElementsAre("a", "b"));
    EXPECT_THAT(kept(expander(), Question({with("a", "-1"), option("b")})), ElementsAre("b"));
}

TEST(LabelPriority, TreatsAnInvalidNumberAsZeroAndReportsIt) {
    for (const char* bad : {"", " 5", "5 ", "five", "5.0", "1e3", "0x10", "1_000", "+", "-", "+-5",
                            "--5", "9223372036854775808", "-9223372036854775809"}) {
        const FakeCall call;
        EXPECT_THAT(kept(expander(), Question({with("a", bad), with("b", "1")}), call),
                    ElementsAre("b"))
            << bad;
        EXPECT_EQ(call.explanations().front(),
                  "priority 0, because label zalando.org/scaling-priority is not a 64-bit integer: "
                  "a has \"" +
                      std::string(bad) + "\"");
    }
}

TEST(LabelPriority, ParsesNumbersAsGoDoes) {
    EXPECT_THAT(kept(expander(), Question({with("a", "+7"), with("b", "007"), with("c", "6")})),
                ElementsAre("a", "b"));
    EXPECT_THAT(kept(expander(), Question({with("a", "9223372036854775807"),
                                           with("b", "9223372036854775806")})),
                ElementsAre("a"));
    EXPECT_THAT(kept(expander(), Question({with("a", "-9223372036854775808"),
                                           with("b", "-9223372036854775807")})),
                ElementsAre("b"));
}

TEST(LabelPriority, SkipsAGroupWithoutATemplate) {
    const FakeCall call;
    EXPECT_THAT(kept(expander(), Question({option("a").without_template(), option("b")}), call),
                ElementsAre("b"));
    EXPECT_EQ(call.explanations().front(), "leaves out a: no node template");
}

TEST(LabelPriority, KeepsAllIfNoGroupHasATemplate) {
    const FakeCall call;
    EXPECT_THAT(
        kept(expander(), Question({option("a").without_template(), option("b").without_template()}),
             call),
        ElementsAre("a", "b"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps all 2 options: no option has a node template"));
}

TEST(LabelPriority, UsesTheConfiguredLabel) {
    const LabelPriority tiers({.label = "acme.example/tier"});
    EXPECT_THAT(
        kept(tiers, Question({with("a", "900"), option("b").label("acme.example/tier", "1")})),
        ElementsAre("b"));
}

TEST(LabelPriority, IgnoresTheOrderOfOptions) {
    EXPECT_EQ(tests::find_order_that_matters(
                  expander(), Question({with("a", "2"), with("b", "3"), with("c", "3"),
                                        with("d", "x"), option("e")})),
              std::nullopt);
}

}  // namespace
}  // namespace capstan::expanders
