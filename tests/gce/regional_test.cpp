// Regional groups: how Google distributes their instances, and zones without capacity.
#include <map>

#include <boost/json/parse.hpp>

#include "fault_reaction.hpp"
#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;
using e2e::becomes;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr auto a_is_sold_out = R"([{"zone": "us-central1-a", "limit": 0}])";

Group regional(const char* shape) { return {.name = "web", .place = region, .shape = shape}; }

/// The number of ready instances of the group by zone.
std::map<std::string, int> zones_of(const GceServer& gce, const std::string& group) {
    std::map<std::string, int> out;
    for (const auto& machine : gce.machines(group))
        if (machine.at("ready").as_bool()) ++out[std::string(machine.at("zone").as_string())];
    return out;
}

TEST_F(GceDaemon, GrowsARegionalGroupEvenly) {
    GceScenario& s = begin({.groups = {regional("EVEN")}});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_THAT(zones_of(s.gce(), "web"),
                UnorderedElementsAre(Pair(three_zones[0], 1), Pair(three_zones[1], 1),
                                     Pair(three_zones[2], 1)));
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.gce().target("web") == 1; }));
    EXPECT_TRUE(becomes(30s, [&] { return s.nodes().size() == 1; }));
}

class GceFlexibleShapes : public GceDaemon, public ::testing::WithParamInterface<const char*> {};

TEST_P(GceFlexibleShapes, UseOtherZonesInThePassThatFindsTheStockOut) {
    GceScenario& s =
        begin({.groups = {regional(GetParam()), {.name = "spare", .type = "n2-standard-16"}},
               .more = {{"capacity", json::parse(a_is_sold_out)}}});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); }));
    EXPECT_EQ(s.gce().target("web"), 3) << "the group creates them in other zones";
    EXPECT_EQ(s.gce().target("spare"), 0);
    for (const auto& [zone, machines] : zones_of(s.gce(), "web")) EXPECT_NE(zone, three_zones[0]);
    expect_reaction_in_same_pass(find_reaction(s.gce(), "web", "web"));
    EXPECT_FALSE(s.has_logged(id_of(regional(GetParam())) + " is backed off"));
}

INSTANTIATE_TEST_SUITE_P(Shapes, GceFlexibleShapes, ::testing::Values("BALANCED", "ANY"),
                         [](const auto& shape) { return std::string(shape.param); });

TEST_F(GceDaemon, BacksOffAnEvenGroupIfAZoneHasNoCapacity) {
    Group even = regional("EVEN");
    even.labels = {{"zalando.org/scaling-priority", "100"}};
    GceScenario& s = begin({.groups = {even, {.name = "spare", .place = "us-central1-b"}},
                            .more = {{"capacity", json::parse(a_is_sold_out)}}},
                           {.expanders = R"(["label_priority", "least_waste"])"});
    s.scale(3);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(3); }));
    EXPECT_EQ(s.gce().target("spare"), 1) << "another group runs the remaining pod";
    EXPECT_THAT(zones_of(s.gce(), "web"),
                UnorderedElementsAre(Pair(three_zones[1], 1), Pair(three_zones[2], 1)));
    expect_reaction_in_same_pass(find_reaction(s.gce(), "web", "spare"));
    EXPECT_TRUE(s.has_logged("ZONE_RESOURCE_POOL_EXHAUSTED")) << "the code of Google";
    EXPECT_TRUE(s.has_logged(id_of(even) + " is backed off"));
}

/// A regional group without capacity in any of its zones is treated like a zonal group without
/// capacity.
TEST_F(GceDaemon, FallsBackFromARegionalGroupIfNoZoneHasCapacity) {
    ServerSetup setup{
        .groups = {{.name = "web",
                    .place = region,
                    .shape = "BALANCED",
                    .labels = {{"zalando.org/scaling-priority", "100"}}},
                   {.name = "spare", .place = "us-central1-f", .type = "n2-standard-4"}}};
    setup.more["capacity"] = json::parse(R"([{"group": "shop-web", "limit": 0}])");
    GceScenario& s = begin(setup, {.expanders = R"(["label_priority", "least_waste"])"});
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.gce().target("spare"), 1);
}

}  // namespace
}  // namespace capstan::gce
