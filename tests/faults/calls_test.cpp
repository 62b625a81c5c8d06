// Requests of plugins and of `capstan doctor` that are repeated until they succeed.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "client.hpp"
#include "kubernetes/client/access_reviews.hpp"
#include "kubernetes/client/discovery.hpp"

namespace capstan::faults {
namespace {

using namespace std::chrono_literals;

struct ApiCalls : Client {
    kubernetes::client::Discovery discovery{api, loop};
    kubernetes::client::AccessReviews reviews{api, loop};
};

/// Asks every ten seconds, as a controller does.
TEST(ApiCallFaults, DiscoveryFindsTheKindDespiteFaults) {
    for (const FaultVariant& variant : fault_variants()) {
        for (const bool lasts : {false, true}) {
            SCOPED_TRACE(std::string("discovery: ") + variant.name +
                         (lasts ? ", for a while" : ", once"));
            ApiCalls calls;
            calls.inject({}, variant, lasts);
            std::string plural;
            for (int tries = 0; tries < 120 && plural.empty(); ++tries) {
                calls.discovery.resolve({"apps/v1", "Deployment"}, [&](const auto& kind) {
                    if (kind) plural = kind->plural;
                });
                calls.loop.advance(10s);
            }
            EXPECT_GT(calls.server.faults().taken(), 0u);
            EXPECT_EQ(plural, "deployments");
        }
    }
}

/// A request without an answer counts neither as allowed nor as denied, but as an error.
TEST(ApiCallFaults, AccessReviewsReportFaultsAsErrors) {
    for (const FaultVariant& variant : fault_variants()) {
        for (const bool lasts : {false, true}) {
            SCOPED_TRACE(std::string("access review: ") + variant.name +
                         (lasts ? ", for a while" : ", once"));
            ApiCalls calls;
            calls.inject(
                {.verb = "create", .resource = "selfsubjectaccessreviews.authorization.k8s.io"},
                variant, lasts);
            std::vector<kubernetes::client::AccessAnswer> first, second;
            const std::vector<kubernetes::client::AccessRule> rules{
                {.verb = "list", .resource = "pods"}};
            calls.reviews.review(rules, [&](auto answers) { first = std::move(answers); });
            calls.loop.advance(20min);
            EXPECT_GT(calls.server.faults().taken(), 0u);
            ASSERT_EQ(first.size(), 1u);
            EXPECT_NE(first[0].is_allowed, first[0].error.has_value());
            calls.reviews.review(rules, [&](auto answers) { second = std::move(answers); });
            calls.loop.advance(20min);
            ASSERT_EQ(second.size(), 1u);
            EXPECT_TRUE(second[0].is_allowed);
        }
    }
}

}  // namespace
}  // namespace capstan::faults
