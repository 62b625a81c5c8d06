// Requests of plugins and of `capstan doctor`: a write that is repeated until it succeeds is
// carried out once despite any fault.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "client.hpp"
#include "kubernetes/client/access_reviews.hpp"
#include "kubernetes/client/writes/scale.hpp"

namespace capstan::faults {
namespace {

using simulator::api_server::ApiFault;
using namespace std::chrono_literals;
namespace json = boost::json;

struct ApiCalls : Client {
    ApiCalls() {
        const auto made =
            store.create(deployments, "default",
                         json::parse(R"({"metadata":{"name":"web"},"spec":{"replicas":2,
                 "selector":{"matchLabels":{"app":"web"}},
                 "template":{"metadata":{"labels":{"app":"web"}},"spec":{}}}})")
                             .as_object());
        EXPECT_TRUE(made);
        first_revision = store.revision();
    }
    std::int64_t replicas() const {
        return *simulator::api_server::integer_at(*store.find(deployments, "default", "web"),
                                                  "spec.replicas");
    }

    kubernetes::client::Discovery discovery{api, loop};
    kubernetes::client::Scales scales{api, loop, discovery};
    kubernetes::client::AccessReviews reviews{api, loop};
    const simulator::api_server::ResourceKind& deployments = store.kind("deployments.apps");
    std::uint64_t first_revision = 0;
};

/// Scales the Deployment to five replicas, as a controller that reconciles every ten seconds.
class Scaler {
public:
    explicit Scaler(ApiCalls& calls) : calls_(calls) { reconcile(); }
    bool is_done() const { return is_done_; }

private:
    void reconcile() {
        calls_.scales.read(target_, [this](const Result<kubernetes::client::Scale>& scale) {
            is_done_ = scale && scale->wanted == 5;
            if (!scale || is_done_) return retry();
            calls_.scales.write(target_, 5, scale->resource_version,
                                [this](const Result<kubernetes::client::Scale>&) { retry(); });
        });
    }
    void retry() {
        if (!is_done_) calls_.loop.after(10s, [this] { reconcile(); });
    }
    ApiCalls& calls_;
    const kubernetes::client::ScaleTarget target_{{"apps/v1", "Deployment"}, "default", "web"};
    bool is_done_ = false;
};

void expect_scaled(const char* verb) {
    for (const FaultVariant& variant : fault_variants()) {
        for (const bool lasts : {false, true}) {
            SCOPED_TRACE(std::string(verb) + " scale: " + variant.name +
                         (lasts ? ", for a while" : ", once"));
            ApiCalls calls;
            calls.inject({.verb = verb, .subresource = "scale"}, variant, lasts);
            const Scaler scaler(calls);
            calls.loop.advance(20min);
            EXPECT_GT(calls.server.faults().taken(), 0u);
            EXPECT_TRUE(scaler.is_done());
            EXPECT_EQ(calls.replicas(), 5);
            EXPECT_EQ(calls.store.revision(), calls.first_revision + 1) << "written more than once";
        }
    }
}

TEST(ApiCallFaults, ScaleIsWrittenOnceDespiteFaultsOfReads) { expect_scaled("get"); }
TEST(ApiCallFaults, ScaleIsWrittenOnceDespiteFaultsOfWrites) { expect_scaled("patch"); }

TEST(ApiCallFaults, ScaleIsWrittenOnceDespiteFaultsOfDiscovery) {
    for (const FaultVariant& variant : fault_variants()) {
        for (const bool lasts : {false, true}) {
            SCOPED_TRACE(std::string("discovery: ") + variant.name +
                         (lasts ? ", for a while" : ", once"));
            ApiCalls calls;
            calls.inject({}, variant, lasts);
            const Scaler scaler(calls);
            calls.loop.advance(20min);
            EXPECT_GT(calls.server.faults().taken(), 0u);
            EXPECT_TRUE(scaler.is_done());
            EXPECT_EQ(calls.store.revision(), calls.first_revision + 1);
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
