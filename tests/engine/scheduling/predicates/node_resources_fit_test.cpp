// Predicates about what is free on a node: ports, resources, attachable volumes.
#include <gmock/gmock.h>

#include "engine/scheduling/predicates/node_ports.hpp"
#include "engine/scheduling/predicates/node_resources_fit.hpp"
#include "engine/scheduling/predicates/node_volume_limits.hpp"

namespace capstan::engine::scheduling {
namespace {

using namespace std::string_literals;
using ::testing::Optional;

TEST(NodePorts, ConflictByPortProtocolAndAddress) {
    struct Case {
        snapshot::HostPort a, b;
        bool conflict;
    };
    const Case cases[] = {
        {{"", "TCP", 80}, {"", "TCP", 80}, true},
        {{"", "TCP", 80}, {"", "TCP", 81}, false},
        {{"", "TCP", 80}, {"", "UDP", 80}, false},
        {{"", "", 80}, {"", "TCP", 80}, true},
        {{"0.0.0.0", "TCP", 80}, {"", "TCP", 80}, true},
        {{"10.0.0.1", "TCP", 80}, {"", "TCP", 80}, true},
        {{"10.0.0.1", "TCP", 80}, {"0.0.0.0", "TCP", 80}, true},
        {{"10.0.0.1", "TCP", 80}, {"10.0.0.1", "TCP", 80}, true},
        {{"10.0.0.1", "TCP", 80}, {"10.0.0.2", "TCP", 80}, false},
        {{"", "TCP", 0}, {"", "TCP", 0}, false},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(in_conflict(c.a, c.b), c.conflict) << c.a.ip << " " << c.b.ip;
        EXPECT_EQ(in_conflict(c.b, c.a), c.conflict) << c.b.ip << " " << c.a.ip;
    }
}

TEST(NodePorts, ReportsThePortInUse) {
    const std::vector<snapshot::HostPort> wanted{{"", "TCP", 80}, {"10.0.0.1", "UDP", 53}};
    const std::vector<snapshot::HostPort> taken{{"", "UDP", 53}};
    EXPECT_EQ(check_node_ports(wanted, {}), std::nullopt);
    EXPECT_EQ(check_node_ports({}, taken), std::nullopt);
    EXPECT_THAT(check_node_ports(wanted, taken),
                Optional("node(s) didn't have free ports for the requested pod ports: wants "
                         "10.0.0.1:53/UDP, 53/UDP is in use"s));
}

TEST(NodeResourcesFit, ComparesRequestsWithFreeResources) {
    struct Case {
        ResourceFacts facts;
        bool sufficient;
    };
    const Case cases[] = {
        {{"cpu", 500, 4000, 3500}, true}, {{"cpu", 501, 4000, 3500}, false},
        {{"cpu", 0, 0, 0}, true},         {{"cpu", 0, 4000, 5000}, true},
        {{"cpu", 1, 4000, 5000}, false},  {{"nvidia.com/gpu", 1, 0, 0}, false},
        {{"pods", 1, 110, 109}, true},    {{"pods", 1, 110, 110}, false},
        {{"pods", 1, 0, 0}, false},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(is_sufficient(c.facts), c.sufficient) << c.facts.name << " " << c.facts.wanted;
    }
}

TEST(NodeResourcesFit, ReportsEveryInsufficientResource) {
    const std::vector<ResourceFacts> facts{{"cpu", 2000, 4000, 3500},
                                           {"memory", 1 << 30, 1 << 30, 0},
                                           {"nvidia.com/gpu", 1, 0, 0},
                                           {"pods", 1, 110, 110},
                                           {"memory", 1, 1 << 30, std::int64_t{1} << 31}};
    EXPECT_THAT(check_node_resources_fit(facts),
                Optional("Insufficient cpu: needs 2, 500m of 4 are free; Insufficient "
                         "nvidia.com/gpu: needs 1, 0 of 0 are free; Too many pods: 110 of 110 are "
                         "used; Insufficient memory: needs 1, 0 of 1Gi are free"s));
    EXPECT_EQ(check_node_resources_fit({}), std::nullopt);
}

TEST(NodeVolumeLimits, CountEachVolumeOnce) {
    const std::map<std::string, std::optional<int>> limits{{"ebs", 2}, {"free", std::nullopt}};
    struct Case {
        VolumesByDriver wanted, attached;
        bool fits;
    };
    const Case cases[] = {
        {{}, {{"ebs", {"a", "b", "c"}}}, true},
        {{{"ebs", {"a"}}}, {}, true},
        {{{"ebs", {"a", "b"}}}, {}, true},
        {{{"ebs", {"a", "b", "c"}}}, {}, false},
        {{{"ebs", {"c"}}}, {{"ebs", {"a"}}}, true},
        {{{"ebs", {"c"}}}, {{"ebs", {"a", "b"}}}, false},
        {{{"ebs", {"b"}}}, {{"ebs", {"a", "b"}}}, true},
        {{{"ebs", {"b"}}}, {{"ebs", {"a", "b", "c"}}}, true},
        {{{"free", {"a"}}}, {{"free", {"b", "c", "d"}}}, true},
        {{{"unknown", {"a"}}}, {{"ebs", {"a", "b"}}}, true},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const auto refused = check_node_volume_limits(cases[i].wanted, cases[i].attached, limits);
        EXPECT_EQ(!refused, cases[i].fits) << "case " << i;
    }
}

TEST(NodeVolumeLimits, ReportTheNumberOfAttachedVolumes) {
    EXPECT_THAT(check_node_volume_limits({{"ebs", {"c"}}}, {{"ebs", {"a", "b"}}}, {{"ebs", 2}}),
                Optional("node(s) exceed max volume count: needs 1 of ebs, 2 of 2 are attached"s));
    EXPECT_THAT(check_node_volume_limits({{"ebs", {"c"}}}, {}, {{"ebs", 0}}),
                Optional("node(s) exceed max volume count: needs 1 of ebs, 0 of 0 are attached"s));
}

}  // namespace
}  // namespace capstan::engine::scheduling
