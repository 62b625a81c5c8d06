#include "kubernetes/client/access_reviews.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using boost::json::parse;

struct AccessReviewsTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    AccessReviews reviews{api, loop, 2};
    std::optional<std::vector<AccessAnswer>> answers;

    void review(const std::vector<AccessRule>& rules) {
        reviews.review(rules, [this](auto all) { answers = std::move(all); });
    }
    static Answer allowed(bool is_allowed) {
        return {.status = 201,
                .body = std::string(R"({"status":{"allowed":)") + (is_allowed ? "true" : "false") +
                        "}}"};
    }
};

TEST_F(AccessReviewsTest, SendsOneReviewPerRule) {
    review({{.verb = "get", .resource = "nodes"},
            {.verb = "update",
             .group = "coordination.k8s.io",
             .resource = "leases",
             .ns = "kube-system",
             .name = "cluster-autoscaler"}});
    EXPECT_EQ(api.first().line(), "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    EXPECT_EQ(api.first().json(), parse(R"({"apiVersion":"authorization.k8s.io/v1",
        "kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":
        {"verb":"get","resource":"nodes"}}})"));
    EXPECT_EQ(api.last().json().at_pointer("/spec/resourceAttributes"),
              parse(R"({"verb":"update","group":"coordination.k8s.io","resource":"leases",
                        "namespace":"kube-system","name":"cluster-autoscaler"})"));
}

TEST_F(AccessReviewsTest, LimitsOpenReviewsAndKeepsTheOrderOfRules) {
    review({{.verb = "get", .resource = "a"},
            {.verb = "get", .resource = "b"},
            {.verb = "get", .resource = "c"}});
    EXPECT_EQ(api.open_count(), 2u);
    api.answer(api.asked()[1].id, allowed(false));
    EXPECT_EQ(api.open_count(), 2u);
    api.answer(api.asked()[2].id, {.body = R"({"status":{"allowed":false,
        "evaluationError":"webhook down"}})"});
    EXPECT_FALSE(answers);
    api.answer(allowed(true));
    ASSERT_EQ(answers->size(), 3u);
    EXPECT_TRUE((*answers)[0].is_allowed);
    EXPECT_FALSE((*answers)[1].is_allowed);
    EXPECT_EQ((*answers)[2].rule.resource, "c");
    EXPECT_EQ((*answers)[2].reason, "webhook down");
}

TEST_F(AccessReviewsTest, DistinguishesADenialFromAServerError) {
    review({{.verb = "list", .resource = "pods"}, {.verb = "list", .resource = "nodes"}});
    api.answer(refusal(503, "ServiceUnavailable"));
    api.answer({.body = "<html>"});
    for (const AccessAnswer& answer : *answers) {
        EXPECT_FALSE(answer.is_allowed);
        ASSERT_TRUE(answer.error);
        EXPECT_EQ(answer.error->code, ErrorCode::unavailable);
    }
}

TEST_F(AccessReviewsTest, FinishesWithoutRules) {
    review({});
    EXPECT_FALSE(answers);
    loop.settle();
    EXPECT_TRUE(answers->empty());
}

TEST(AccessRule, IsFormattedForOperators) {
    EXPECT_EQ(to_string({.verb = "create", .resource = "pods", .subresource = "eviction"}),
              "create pods/eviction");
    EXPECT_EQ(to_string({.verb = "update",
                         .group = "coordination.k8s.io",
                         .resource = "leases",
                         .ns = "kube-system",
                         .name = "cluster-autoscaler"}),
              "update leases.coordination.k8s.io cluster-autoscaler in kube-system");
}

}  // namespace
}  // namespace capstan::kubernetes::client
