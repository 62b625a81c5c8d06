#include "kubernetes/objects/object_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

using engine::snapshot::DisruptionBudgetObject;

TEST(DisruptionBudgetDecode, ReadsSelectorAndStatus) {
    const auto result = decoded(decode_disruption_budget, R"({
        "metadata":{"namespace":"shop","name":"web","generation":2},
        "spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"web"}}},
        "status":{"disruptionsAllowed":1,"observedGeneration":2}})");
    EXPECT_TRUE(result.problems.empty());
    EXPECT_EQ(result.value,
              (DisruptionBudgetObject{.ns = "shop",
                                      .name = "web",
                                      .selector = LabelSelector{.match_labels = {{"app", "web"}},
                                                                .match_expressions = {}},
                                      .disruptions_allowed = 1,
                                      .is_observed = true}));
}

TEST(DisruptionBudgetDecode, ReadsWhetherItNeverAllowsADisruption) {
    const struct {
        const char *spec, *expected;
    } cases[] = {
        {"", ""},
        {R"("maxUnavailable":0)", "maxUnavailable 0"},
        {R"("maxUnavailable":"0%")", "maxUnavailable 0%"},
        {R"("maxUnavailable":1)", ""},
        {R"("maxUnavailable":"10%")", ""},
        {R"("minAvailable":"100%")", "minAvailable 100%"},
        {R"("minAvailable":1)", ""},
    };
    for (const auto& each : cases)
        EXPECT_EQ(decoded(decode_disruption_budget,
                          std::string(R"({"metadata":{"name":"b"},"spec":{)") + each.spec + "}}")
                      .value->never_allows,
                  each.expected)
            << each.spec;
}

TEST(DisruptionBudgetDecode, DistinguishesAnEmptySelectorFromNone) {
    const auto every =
        decoded(decode_disruption_budget, R"({"metadata":{"name":"b"},"spec":{"selector":{}}})");
    EXPECT_EQ(every.value->selector, LabelSelector());
    const auto none = decoded(decode_disruption_budget, R"({"metadata":{"name":"b"}})");
    EXPECT_EQ(none.value->selector, std::nullopt);
}

TEST(DisruptionBudgetDecode, ReadsWhetherTheStatusIsMissingOrOld) {
    const struct {
        const char* rest;
        int allowed;
        bool observed;
    } cases[] = {
        {R"("generation":1}})", 0, false},
        {R"("generation":1},"status":{}})", 0, false},
        {R"("generation":2},"status":{"disruptionsAllowed":3,"observedGeneration":1}})", 3, false},
        {R"("generation":2},"status":{"disruptionsAllowed":3,"observedGeneration":2}})", 3, true},
        {R"("x":0},"status":{"disruptionsAllowed":3}})", 3, true},
        {R"("generation":1},"status":{"disruptionsAllowed":-1,"observedGeneration":1}})", 0, true},
    };
    for (const auto& c : cases) {
        const auto result =
            decoded(decode_disruption_budget, R"({"metadata":{"name":"b",)" + std::string(c.rest));
        ASSERT_TRUE(result.value) << c.rest;
        EXPECT_EQ(result.value->disruptions_allowed, c.allowed) << c.rest;
        EXPECT_EQ(result.value->is_observed, c.observed) << c.rest;
    }
}

TEST(DisruptionBudgetDecode, RejectsMalformedSelectors) {
    for (const char* text :
         {R"({"spec":{"selector":{}}})", R"({"metadata":{"name":"b"},"spec":{"selector":7}})",
          R"({"metadata":{"name":"b"},"spec":{"selector":{"matchExpressions":[
              {"key":"a","operator":"Gt","values":["1"]}]}}})"}) {
        const auto result = decoded(decode_disruption_budget, text);
        EXPECT_FALSE(result.value) << text;
        EXPECT_FALSE(result.problems.empty()) << text;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
