#include "engine/scale_up/spread_plan.hpp"

#include <gmock/gmock.h>

namespace capstan::engine::scale_up {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Zone {
    int count = 0;
    bool exists = true;
    DomainOutlook outlook{.can_grow = true};
};
constexpr DomainOutlook full_domain{};

std::pair<scheduling::SpreadDomains, std::vector<DomainOutlook>> describe(
    const std::vector<Zone>& zones, int max_skew, int min_domains) {
    scheduling::SpreadDomains spread{
        .topology_key = "zone", .max_skew = max_skew, .min_domains = min_domains, .domains = {}};
    std::vector<DomainOutlook> outlook;
    for (const Zone& zone : zones) {
        const std::string value(1, static_cast<char>('a' + outlook.size()));
        spread.domains.push_back({value, zone.count, zone.exists});
        outlook.push_back(zone.outlook);
    }
    return {std::move(spread), std::move(outlook)};
}

std::vector<int> quotas(const std::vector<Zone>& zones, int pods, int max_skew = 1,
                        int min_domains = 1) {
    const auto [spread, outlook] = describe(zones, max_skew, min_domains);
    return spread_quotas(spread, outlook, pods);
}

TEST(SpreadQuotas, AreEvenOverZonesThatCanGrow) {
    EXPECT_THAT(quotas({{0}, {0}, {0}}, 7), ElementsAre(3, 2, 2));
    EXPECT_THAT(quotas({{4}, {0}, {0}}, 7), ElementsAre(0, 4, 3));
}

TEST(SpreadQuotas, AreLimitedByAZoneThatCannotGrow) {
    EXPECT_THAT(quotas({{0}, {0}, {1, true, full_domain}}, 10), ElementsAre(2, 2, 0));
    EXPECT_THAT(quotas({{0}, {0}, {1, true, full_domain}}, 10, 3), ElementsAre(4, 4, 0));
}

TEST(SpreadQuotas, IncludeRoomOnExistingNodes) {
    EXPECT_THAT(quotas({{0}, {0}, {0, true, {.spare = 2}}}, 100), ElementsAre(3, 3, 2));
}

TEST(SpreadQuotas, IgnoreAnEmptyZoneThatCannotGrowUnlessItWillExist) {
    EXPECT_THAT(quotas({{0}, {0, false, full_domain}}, 5), ElementsAre(5, 0));
    EXPECT_THAT(quotas({{0}, {0, false, {.will_exist = true}}}, 5), ElementsAre(1, 0));
}

TEST(SpreadQuotas, OpenNewZones) {
    EXPECT_THAT(quotas({{2}, {0, false}, {0, false}}, 4), ElementsAre(0, 2, 2));
}

TEST(SpreadQuotas, HonourMinDomains) {
    EXPECT_THAT(quotas({{0}, {0}}, 10, 2, 3), ElementsAre(2, 2));
    // Two pods use only two of the three zones, one each.
    EXPECT_THAT(quotas({{0, false}, {0, false}, {0, false}}, 2, 1, 3), ElementsAre(1, 1, 0));
    EXPECT_THAT(quotas({{0}, {0}, {0}}, 9, 1, 3), ElementsAre(3, 3, 3));
}

TEST(SpreadQuotas, UseTheLimitsFoundByAnEarlierAttempt) {
    const DomainOutlook small{.can_grow = true, .most = 2};
    EXPECT_THAT(quotas({{0}, {0}, {0, true, small}}, 100), ElementsAre(3, 3, 2));
    const DomainOutlook closed{.can_grow = true, .most = 0};
    EXPECT_THAT(quotas({{0}, {0}, {0, false, closed}}, 4), ElementsAre(2, 2, 0));
}

/// Zones without nodes; a new node has room for `per_node` pods.
std::vector<Zone> unopened(int count, int per_node) {
    return std::vector<Zone>(
        count, {.exists = false, .outlook = {.can_grow = true, .per_node = per_node}});
}

DomainQuotas opened(const std::vector<Zone>& zones, int pods, int min_domains = 1) {
    const auto [spread, outlook] = describe(zones, 1, min_domains);
    return open_domains(spread, outlook, pods);
}

TEST(OpenDomains, PlacesOneNodeInAnyZone) {
    const DomainQuotas quotas = opened(unopened(3, 4), 4);
    EXPECT_THAT(quotas.pods, ElementsAre(4, 4, 4));
    EXPECT_THAT(quotas.is_alternative, ElementsAre(true, true, true));
}

TEST(OpenDomains, OpensAllZonesForManyNodes) {
    const DomainQuotas quotas = opened(unopened(3, 4), 30);
    EXPECT_THAT(quotas.pods, ElementsAre(10, 10, 10));
    EXPECT_THAT(quotas.is_alternative, IsEmpty());
}

TEST(OpenDomains, OpensAsManyZonesAsNodes) {
    EXPECT_THAT(opened(unopened(8, 4), 8).pods, Each(4));  // only two of the zones get pods
    EXPECT_THAT(opened(unopened(3, 1), 3).pods, ElementsAre(1, 1, 1));
}

TEST(OpenDomains, UsesAZoneWithNodesInAnyCase) {
    std::vector<Zone> zones = unopened(8, 4);
    zones.front() = {.outlook = {.can_grow = true, .spare = 4, .per_node = 4}};
    const DomainQuotas quotas = opened(zones, 8);
    EXPECT_EQ(quotas.pods.front(), 4);
    EXPECT_FALSE(quotas.is_alternative.front());
    EXPECT_EQ(quotas.pods.back(), 4);
}

TEST(OpenDomains, OpensNoZoneIfOneHasEnoughRoom) {
    std::vector<Zone> zones = unopened(3, 4);
    zones.front() = {.outlook = {.can_grow = true, .spare = 9, .per_node = 4}};
    EXPECT_THAT(opened(zones, 8).pods, ElementsAre(8, 0, 0));
}

TEST(OpenDomains, HonoursMinDomains) {
    EXPECT_THAT(opened(unopened(3, 9), 2, 2).pods, ElementsAre(1, 1, 1));
    EXPECT_THAT(opened(unopened(3, 9), 3, 3).pods, ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace capstan::engine::scale_up
