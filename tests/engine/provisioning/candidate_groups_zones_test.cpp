// Groups that are created for one template in several zones: the new nodes are balanced over the
// zones that the pods allow.
#include <algorithm>

#include <gmock/gmock.h>

#include "../pass_case.hpp"

namespace capstan::engine::provisioning {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Suggests a group for each zone and each set of labels, of machines "m" with 4 cores.
class ZonalGroupSource final : public GroupSource {
public:
    Result<GroupsAnswer> suggest(const GroupsQuestion&, const CallContext&) override {
        GroupsAnswer out{.most_groups = most_groups};
        for (const Labels& labels : sets) {
            for (const std::string& zone : zones) {
                GroupPlan plan{.machine_type = "m", .zone = zone, .spot = spot, .labels = labels};
                plan.name = "nap-" + (labels.empty() ? "" : labels.begin()->second + "-") + zone;
                out.groups.push_back({std::move(plan), "suggested by the test"});
            }
        }
        return out;
    }
    Result<bool> owns(const NodeGroup&, const CallContext&) override { return true; }

    std::vector<std::string> zones{"a", "b", "c"};
    std::vector<Labels> sets{{}};
    std::optional<int> most_groups{};
    bool spot = false;
};

class ZonalGroupMaker final : public GroupMaker {
public:
    Result<CandidateGroup> new_group(const PluginInstanceId&, const GroupPlan& plan,
                                     const CallContext&) override {
        if (plan.zone == refused_zone) return fail(ErrorCode::unsupported, "not in this zone");
        CandidateGroup out;
        out.planned.group = {
            .id = NodeGroupId(plan.name), .min = 0, .target = 0, .autoprovisioned = true};
        out.planned.node = node_of(plan.labels, plan.zone);
        out.planned.node.name = plan.name;
        return out;
    }
    static NodeTemplate node_of(Labels labels, const std::string& zone) {
        labels[zone_key] = zone;
        return {.machine_type = "m",
                .zone = zone,
                .labels = std::move(labels),
                .capacity = amounts(4000),
                .allocatable = amounts(4000),
                .free = amounts(4000)};
    }
    std::string refused_zone{};
};

/// Templates of the same team are similar.
class SameTeam final : public SimilarityCheck {
public:
    Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                               const CallContext&) override {
        return team(a) == team(b) ? agrees("same team") : differs("team");
    }
    bool may_decide() const override { return false; }
    Result<std::uint64_t> bucket(const NodeTemplate&, const CallContext&) override {
        return fail(ErrorCode::unsupported, "no buckets");
    }

private:
    static std::string team(const NodeTemplate& node) {
        const auto at = node.labels.find("team");
        return at == node.labels.end() ? std::string() : at->second;
    }
};

struct ZonesCase : PassCase {
    ZonalGroupSource source{};
    ZonalGroupMaker maker{};
    SameTeam same_team{};
    bool has_checks = true;

    pass::Outcome run_with_creation() {
        Snapshot snapshot = test_cluster.snapshot();
        MachineType type{
            .name = "m", .capacity = amounts(4000), .allocatable = amounts(4000), .offerings = {}};
        for (const std::string& zone : source.zones)
            type.offerings.push_back({.zone = zone, .labels = {{zone_key, zone}}});
        snapshot.machines = std::make_shared<const std::vector<CloudMachines>>(
            std::vector<CloudMachines>{{PluginInstanceId("cloud"), {std::move(type)}}});
        Policies with = policies();
        with.similarity.clear();
        if (has_checks) with.similarity = {{"same_team", &same_team}};
        with.group_sources = {{"test", &source}};
        with.maker = &maker;
        return pass::run_pass(snapshot, memory, with, settings, call_context);
    }
    Growths grown() { return growth(run_with_creation().decision); }
    /// A group that was created in an earlier pass, with this number of nodes.
    Group& existing_group(const std::string& zone, int nodes) {
        Group& out = group("nap-" + zone, nodes, std::nullopt, amounts(4000), zone);
        out.group.autoprovisioned = true;
        test_cluster.describe("nap-" + zone, amounts(4000)) = ZonalGroupMaker::node_of({}, zone);
        return out;
    }
};

TEST(CandidateGroupZones, AreBalanced) {
    ZonesCase c;
    c.pods("web", 15, 3000);
    const Decision decision = c.run_with_creation().decision;
    EXPECT_EQ(growth(decision), (Growths{{"nap-a", 5}, {"nap-b", 5}, {"nap-c", 5}}));
    ASSERT_EQ(decision.creations.size(), 3u);
    EXPECT_EQ(decision.increases[1].because, "one of 3 similar groups, makes room for 5 pods");
}

TEST(CandidateGroupZones, AreNotCreatedInZonesThatGetNoNodes) {
    ZonesCase c;
    c.pods("web", 2, 3000);
    const Decision decision = c.run_with_creation().decision;
    EXPECT_EQ(growth(decision), (Growths{{"nap-a", 1}, {"nap-b", 1}}));
    EXPECT_EQ(decision.creations.size(), 2u);
}

TEST(CandidateGroupZones, AreLimitedToTheZoneOfThePods) {
    ZonesCase c;
    c.pods("web", 4, 3000,
           [](snapshot::PodObject& pod) { pod.spec.node_selector = {{zone_key, "b"}}; });
    EXPECT_EQ(c.grown(), (Growths{{"nap-b", 4}}));
}

TEST(CandidateGroupZones, AreNotBalancedIfBalancingIsDisabled) {
    ZonesCase c;
    c.pods("web", 6, 3000);
    c.settings.balance_similar = false;
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 6}}));
    c.settings.balance_similar = true;
    c.has_checks = false;
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 6}}));
}

TEST(CandidateGroupZones, RespectTheMaximumNumberOfGroups) {
    const std::vector<std::pair<int, Growths>> cases{
        {0, {}},
        {1, {{"nap-a", 6}}},
        {2, {{"nap-a", 3}, {"nap-b", 3}}},
        {3, {{"nap-a", 2}, {"nap-b", 2}, {"nap-c", 2}}},
        {4, {{"nap-a", 2}, {"nap-b", 2}, {"nap-c", 2}}}};
    for (const auto& [most, wanted] : cases) {
        ZonesCase c;
        c.source.most_groups = most;
        c.pods("web", 6, 3000);
        EXPECT_EQ(c.grown(), wanted) << most << " groups";
    }
}

TEST(CandidateGroupZones, ReportAZoneExcludedByTheMaximum) {
    ZonesCase c;
    c.source.most_groups = 2;
    c.pods("web", 6, 3000);
    EXPECT_THAT(c.run_with_creation().decision.options.at(0).left_out,
                ElementsAre(HasSubstr("nap-c: max number of node groups reached")));
}

TEST(CandidateGroupZones, LeaveRoomForGroupsOfOtherPods) {
    const auto of_team = [](const std::string& team) {
        return [=](snapshot::PodObject& pod) { pod.spec.node_selector = {{"team", team}}; };
    };
    for (const int most : {3, 4, 5, 9}) {
        ZonesCase c;
        c.source.sets = {{{"team", "x"}}, {{"team", "y"}}, {{"team", "z"}}};
        c.source.most_groups = most;
        for (const std::string team : {"x", "y", "z"}) c.pods(team, 3, 3000, of_team(team));
        const Decision decision = c.run_with_creation().decision;
        EXPECT_EQ(decision.creations.size(), static_cast<std::size_t>(most));
        EXPECT_THAT(decision.unschedulable, IsEmpty())
            << "every team has a group; maximum " << most;
    }
}

TEST(CandidateGroupZones, RespectClusterLimits) {
    ZonesCase c;
    c.settings.cpu.max = 16000;
    c.pods("web", 15, 3000);
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 2}, {"nap-b", 1}, {"nap-c", 1}}));
}

TEST(CandidateGroupZones, AreBalancedWithExistingGroups) {
    ZonesCase c;
    c.existing_group("a", 5);
    c.existing_group("b", 1);
    c.existing_group("c", 0);
    c.pods("web", 6, 3000);
    EXPECT_EQ(c.grown(), (Growths{{"nap-b", 3}, {"nap-c", 3}}));
}

TEST(CandidateGroupZones, AreCreatedLaterForOtherZones) {
    ZonesCase c;
    c.existing_group("a", 1);
    c.pods("web", 5, 3000);
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 1}, {"nap-b", 2}, {"nap-c", 2}}));
    c.source.most_groups = 1;
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 5}})) << "the maximum number of groups is reached";
}

TEST(CandidateGroupZones, AreNotCreatedToBalanceAGroupThatIsNotAutoprovisioned) {
    ZonesCase c;
    c.existing_group("a", 1).group.autoprovisioned = false;
    c.pods("web", 5, 3000);
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 5}}));
}

TEST(CandidateGroupZones, SkipAnUnsupportedZone) {
    ZonesCase c;
    c.maker.refused_zone = "b";
    c.pods("web", 6, 3000);
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 3}, {"nap-c", 3}}));
}

TEST(CandidateGroupZones, SkipAZoneWhoseGroupWasRefused) {
    ZonesCase c;
    c.pods("web", 6, 3000);
    const pass::Outcome first = c.run_with_creation();
    ASSERT_EQ(first.decision.creations.size(), 3u);
    Results results;
    results.creations.resize(3);
    results.creations[1] = Error{ErrorCode::quota, "no more groups in zone b"};
    results.increases.resize(3);
    c.memory = pass::remember_results(first.memory, first.decision, results, c.settings, noon);
    c.existing_group("a", 2);
    c.existing_group("c", 2);
    c.call_context.now = noon + 1min;
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 3}, {"nap-c", 3}})) << "existing nodes are full";
}

TEST(CandidateGroupZones, SupportSpotMachines) {
    ZonesCase c;
    c.source.spot = true;
    c.pods("web", 3, 3000);
    EXPECT_EQ(c.grown(), (Growths{{"nap-a", 1}, {"nap-b", 1}, {"nap-c", 1}}));
}

}  // namespace
}  // namespace capstan::engine::provisioning
