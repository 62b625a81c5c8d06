#include "priority.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "any_order.hpp"

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using testing::kept;
using testing::option;
using testing::Question;

Tiers tiers(std::initializer_list<std::pair<std::int64_t, std::vector<std::string>>> entries) {
    Tiers out;
    for (const auto& [priority, patterns] : entries) {
        for (const std::string& written : patterns)
            out[priority].push_back(parse_pattern(written).value());
    }
    return out;
}

// Groups and priorities of upstream's test.
Question instances() {
    return Question({option("my-asg.t2.large"), option("my-asg.t2.micro"),
                     option("my-asg.m4.4xlarge"), option("my-asg.t3.large")});
}
Priority upstreams() {
    return Priority(tiers({{5, {".*t2\\.micro.*"}},
                           {10, {".*t2\\.large.*", ".*t3\\.large.*"}},
                           {50, {".*m4\\.4xlarge.*"}}}));
}

TEST(Priority, KeepsTheGroupWithTheHighestPriority) {
    const FakeCall call;
    EXPECT_THAT(kept(upstreams(), instances(), call), ElementsAre("my-asg.m4.4xlarge"));
    EXPECT_THAT(
        call.explanations(),
        ElementsAre(
            "keeps my-asg.m4.4xlarge: priority 50 (matches \".*m4\\.4xlarge.*\"); next best "
            "my-asg.t2.large: priority 10 (matches \".*t2\\.large.*\")"));
}

TEST(Priority, KeepsAllGroupsWithTheHighestPriority) {
    EXPECT_THAT(kept(upstreams(), Question({option("my-asg.t2.large"), option("my-asg.t2.micro"),
                                            option("my-asg.t3.large")})),
                ElementsAre("my-asg.t2.large", "my-asg.t3.large"));
}

TEST(Priority, SkipsGroupsWithoutAPriority) {
    const FakeCall call;
    EXPECT_THAT(kept(upstreams(), Question({option("my-asg.t2.micro"), option("unknown")}), call),
                ElementsAre("my-asg.t2.micro"));
    EXPECT_EQ(call.explanations().front(), "leaves out unknown: no priority matches");
}

TEST(Priority, KeepsAllIfNoPriorityMatches) {
    const FakeCall call;
    EXPECT_THAT(kept(upstreams(), Question({option("x"), option("y"), option("z")}), call),
                ElementsAre("x", "y", "z"));
    EXPECT_THAT(call.explanations(),
                ElementsAre("keeps all 3 options: no priority matches any option"));
}

TEST(Priority, KeepsAllWithoutPriorities) {
    const FakeCall call;
    EXPECT_THAT(kept(Priority(Tiers()), Question({option("x")}), call), ElementsAre("x"));
    EXPECT_THAT(call.explanations(), ElementsAre("keeps the only option: no priorities are set"));
}

TEST(Priority, UsesTheHighestOfSeveralMatches) {
    const Priority both(tiers({{1, {".*"}}, {7, {"spot"}}}));
    EXPECT_THAT(kept(both, Question({option("on-demand"), option("spot")})), ElementsAre("spot"));
}

TEST(Priority, AcceptsNegativePriorities) {
    const Priority low(tiers({{-100, {"a"}}, {-2, {"b"}}}));
    EXPECT_THAT(kept(low, Question({option("a"), option("b"), option("c")})), ElementsAre("b"));
    EXPECT_THAT(kept(low, Question({option("a"), option("c")})), ElementsAre("a"));
}

TEST(Priority, MatchesAnywhereInTheId) {
    const Priority plain(tiers({{1, {"spot"}}}));
    EXPECT_THAT(kept(plain, Question({option("eu-spot-1"), option("eu-1")})),
                ElementsAre("eu-spot-1"));
    const Priority anchored(tiers({{1, {"^spot$"}}}));
    EXPECT_THAT(kept(anchored, Question({option("eu-spot-1"), option("spot")})),
                ElementsAre("spot"));
}

TEST(Priority, ParsesPatternsAsGoDoes) {
    const Priority named(tiers({{1, {"(?i)^SPOT-(?P<zone>[[:alpha:]]{2})\\d+\\z"}}}));
    EXPECT_THAT(kept(named, Question({option("spot-eu1"), option("spot-e1")})),
                ElementsAre("spot-eu1"));
}

// A pattern for which a backtracking engine needs exponential time.
TEST(Priority, HandlesACatastrophicPattern) {
    const Priority evil(tiers({{1, {"^(a+)+$"}}}));
    const std::string id(5000, 'a');
    EXPECT_THAT(kept(evil, Question({option(id + "!"), option("aaa")})), ElementsAre("aaa"));
}

TEST(Priority, UsesNewPriorities) {
    Priority expander(tiers({{1, {"a"}}}));
    expander.replace(tiers({{1, {"b"}}}));
    EXPECT_THAT(kept(expander, Question({option("a"), option("b")})), ElementsAre("b"));
}

TEST(Priority, CanReplacePrioritiesDuringAFilter) {
    Priority expander(tiers({{1, {"a"}}}));
    std::thread giver([&expander] {
        for (int i = 0; i < 200; ++i) expander.replace(tiers({{i, {i % 2 == 0 ? "b" : "a"}}}));
    });
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(kept(expander, Question({option("a"), option("b")})).size(), 1u);
    giver.join();
    EXPECT_THAT(kept(expander, Question({option("a"), option("b")})), ElementsAre("a"));
}

TEST(Priority, IgnoresTheOrderOfOptions) {
    EXPECT_EQ(tests::find_order_that_matters(upstreams(), instances()), std::nullopt);
}

}  // namespace
}  // namespace capstan::expanders
