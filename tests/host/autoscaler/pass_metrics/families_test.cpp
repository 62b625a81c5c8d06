#include "autoscaler/pass_metrics/families.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan::autoscaler::pass_metrics {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(FailureReason, HasUpstreamsValues) {
    const std::vector<std::pair<ErrorCode, std::string>> cases{
        {ErrorCode::deadline, "timeout"},
        {ErrorCode::unavailable, "apiCallError"},
        {ErrorCode::throttled, "apiCallError"},
        {ErrorCode::unauthenticated, "apiCallError"},
        {ErrorCode::permission, "apiCallError"},
        {ErrorCode::internal, "apiCallError"},
        {ErrorCode::out_of_capacity, "out_of_capacity"},
        {ErrorCode::quota, "quota"},
        {ErrorCode::unsupported, "cloudProviderError"},
        {ErrorCode::invalid_argument, "cloudProviderError"},
        {ErrorCode::invalid_config, "cloudProviderError"},
        {ErrorCode::not_found, "cloudProviderError"},
        {ErrorCode::conflict, "cloudProviderError"},
        {ErrorCode::cancelled, "cloudProviderError"},
        {ErrorCode::busy, "cloudProviderError"},
    };
    for (const auto& [code, reason] : cases) EXPECT_EQ(failure_reason(code), reason);
}

TEST(FailureReason, IsTheCodeOfTheProviderIfThereIsOne) {
    EXPECT_EQ(failure_reason(Error{ErrorCode::deadline, "no answer", "RequestExpired"}),
              "RequestExpired");
    EXPECT_EQ(failure_reason(Error{ErrorCode::deadline, "no answer"}), "timeout");
}

TEST(GrowingBuckets, GrowByOneFactorFromTheFirstToTheLast) {
    const auto buckets = growing_buckets(1, 1000, 4);
    ASSERT_EQ(buckets.size(), 4u);
    EXPECT_DOUBLE_EQ(buckets[0], 1);
    EXPECT_DOUBLE_EQ(buckets[1], 10);
    EXPECT_DOUBLE_EQ(buckets[2], 100);
    EXPECT_DOUBLE_EQ(buckets[3], 1000);
}

struct GaugeSeriesTest : testing::Test {
    prometheus::Registry registry;
    GaugeSeries nodes{registry, "nodes", "Nodes by group and state.", "group", "state"};

    std::string after(const GaugeSeries::Values& values) {
        nodes.replace(values);
        return prometheus::TextSerializer().Serialize(registry.Collect());
    }
};

TEST_F(GaugeSeriesTest, KeepOnlyTheLatestSeries) {
    EXPECT_THAT(after({{{"a", "ready"}, 2}, {{"a", "unready"}, 1}}),
                AllOf(HasSubstr("nodes{group=\"a\",state=\"ready\"} 2\n"),
                      HasSubstr("nodes{group=\"a\",state=\"unready\"} 1\n")));
    EXPECT_THAT(
        after({{{"a", "ready"}, 3}, {{"b", "ready"}, 0}}),
        AllOf(HasSubstr("nodes{group=\"a\",state=\"ready\"} 3\n"),
              HasSubstr("nodes{group=\"b\",state=\"ready\"} 0\n"), Not(HasSubstr("unready"))));
    EXPECT_THAT(after({}), Not(HasSubstr("nodes{")));
    EXPECT_THAT(after({{{"a", "ready"}, 4}}), HasSubstr("nodes{group=\"a\",state=\"ready\"} 4\n"))
        << "a series comes back";
}

TEST_F(GaugeSeriesTest, MayHaveOneLabel) {
    GaugeSeries groups(registry, "groups", "Groups by type.", "type");
    groups.replace({{{"autoscaled"}, 5}});
    EXPECT_THAT(after({}), HasSubstr("groups{type=\"autoscaled\"} 5\n"));
}

}  // namespace
}  // namespace capstan::autoscaler::pass_metrics
