#include "engine/snapshot/spread_timeout.hpp"

#include <limits>

#include <gtest/gtest.h>

#include <capstan/well_known.hpp>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

using std::chrono::minutes;

PodObject spread_pod(const char* timeout) {
    PodObject out = pod("web-1");
    out.spec.spread = {{.topology_key = "kubernetes.io/hostname"},
                       {.topology_key = std::string(well_known::zone_label)}};
    if (timeout != nullptr) out.annotations["example.com/timeout"] = timeout;
    return out;
}

ClusterBuilderOptions timeout_options() {
    return {.spread_timeout_annotation = "example.com/timeout"};
}

TEST(SpreadTimeout, AcceptsGoDurations) {
    const struct {
        const char* written;
        std::optional<Duration> timeout;
    } cases[] = {
        {nullptr, std::nullopt},    {"13m5s", minutes(13) + std::chrono::seconds(5)},
        {"1h30m", minutes(90)},     {"+1.5m", std::chrono::seconds(90)},
        {"0", Duration(0)},         {"-5m", -minutes(5)},
        {"1ns", Duration(1)},       {"1d", std::nullopt},
        {"", std::nullopt},         {"90", std::nullopt},
        {"soon", std::nullopt},     {" 5m", std::nullopt},
        {"9999999h", std::nullopt},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(find_spread_timeout(spread_pod(c.written), "example.com/timeout"), c.timeout)
            << (c.written != nullptr ? c.written : "(none)");
    }
    EXPECT_EQ(find_spread_timeout(spread_pod("5m"), ""), std::nullopt);
}

TEST(SpreadTimeout, ExpiresWhenThePodIsOlderThanTheTimeout) {
    const Time created(minutes(10));
    EXPECT_FALSE(has_lapsed(created, minutes(5), created + minutes(5)));
    EXPECT_TRUE(has_lapsed(created, minutes(5), created + minutes(5) + Duration(1)));
    EXPECT_EQ(lapse_of(created, minutes(5)), created + minutes(5) + Duration(1));
}

TEST(SpreadTimeout, ExpiresAtOnceIfZeroAndNeverIfMaximal) {
    const Time created(minutes(10));
    EXPECT_TRUE(has_lapsed(created, Duration(0), created));
    EXPECT_TRUE(has_lapsed(created, Duration::min(), created - minutes(1)));
    EXPECT_FALSE(has_lapsed(created, Duration::max(), Time::max()));
    EXPECT_EQ(lapse_of(created, Duration::max()), std::nullopt);
}

TEST(SpreadTimeout, AddsAnEquivalenceGroupWithoutTheZoneConstraint) {
    ClusterBuilder builder(timeout_options());
    builder.set(spread_pod("5m"));
    const Cluster cluster = builder.build();
    const PodGroupId own = cluster.equivalence_group_of(0);
    const PodGroupRow& row = cluster.equivalence_group(own);
    ASSERT_NE(row.lapsed, own);
    EXPECT_EQ(row.spread_timeout, minutes(5));
    EXPECT_EQ(row.spec->spread.size(), 2u);

    const PodGroupRow& lapsed = cluster.equivalence_group(row.lapsed);
    ASSERT_EQ(lapsed.spec->spread.size(), 1u);
    EXPECT_EQ(lapsed.spec->spread[0].topology_key, "kubernetes.io/hostname");
    EXPECT_TRUE(lapsed.spec->has_soft_spread) << "the constraint becomes a preference";
    EXPECT_FALSE(row.spec->has_soft_spread);
    EXPECT_EQ(lapsed.lapsed, row.lapsed);
    EXPECT_EQ(lapsed.spread_timeout, std::nullopt);
    EXPECT_EQ(builder.add_equivalence_group(spread_pod("5m")), own) << "the same equivalence group";
    EXPECT_EQ(builder.build().pod_group_count(), 2u);
}

TEST(SpreadTimeout, RequiresAZoneConstraintAndTheConfiguredAnnotation) {
    PodObject unspread = spread_pod("5m");
    unspread.spec.spread.pop_back();
    for (const auto& [options, object] :
         {std::pair(timeout_options(), unspread), std::pair(timeout_options(), spread_pod("1d")),
          std::pair(ClusterBuilderOptions(), spread_pod("5m")),
          std::pair(ClusterBuilderOptions{.spread_timeout_annotation = ""}, spread_pod("5m"))}) {
        ClusterBuilder builder(options);
        const PodGroupId id = builder.add_equivalence_group(object);
        const Cluster cluster = builder.build();
        EXPECT_EQ(cluster.pod_group_count(), 1u);
        EXPECT_EQ(cluster.equivalence_group(id).lapsed, id);
        EXPECT_EQ(cluster.equivalence_group(id).spread_timeout, std::nullopt);
    }
}

TEST(SpreadTimeout, SeparatesPodsWithDifferentTimeouts) {
    ClusterBuilder builder(timeout_options());
    EXPECT_NE(builder.add_equivalence_group(spread_pod("5m")),
              builder.add_equivalence_group(spread_pod("6m")));
}

}  // namespace
}  // namespace capstan::engine::snapshot
