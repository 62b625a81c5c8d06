#include "engine/pass_context/spread_emulation.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/scale_up/initial_placement.hpp"

namespace capstan::engine::pass_context {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* label = "parent-hash";

/// Sets the label and a spread over zones that selects its value, in the form that is emulated.
auto emulated(const std::string& value = "web-1") {
    return [=](snapshot::PodObject& pod) {
        pod.labels[label] = value;
        pod.spec.spread = {{.topology_key = zone_key,
                            .selector = LabelSelector{.match_labels = {{label, value}}}}};
    };
}

/// One group with one full node in each of three zones; the emulation is on.
PassCase three_zone_groups(int max_in_c = 100) {
    PassCase c;
    c.settings.emulated_spread_label = label;
    c.group("a", 1, 100, amounts(4000), "za");
    c.group("b", 1, 100, amounts(4000), "zb");
    c.group("c", 1, max_in_c, amounts(4000), "zc");
    return c;
}

/// Adds pods that run in the zone of the group.
void running(PassCase& c, const std::string& group, int count) {
    for (int n = 0; n < count; ++n) {
        snapshot::PodObject& pod =
            c.test_cluster.pod("running-" + group + std::to_string(n), group + "-node-0");
        pod.labels = {{"app", "web"}};
        emulated()(pod);
        pod.spec.requests = {};
    }
}

TEST(SpreadEmulation, RequiresOneZoneConstraintThatSelectsTheLabelOfThePod) {
    const struct {
        const char* what;
        std::function<void(snapshot::PodObject&)> change;
        bool emulated;
    } cases[] = {
        {"matching", [](snapshot::PodObject&) {}, true},
        {"minDomains 1", [](snapshot::PodObject& p) { p.spec.spread[0].min_domains = 1; }, true},
        {"none", [](snapshot::PodObject& p) { p.spec.spread.clear(); }, false},
        {"two", [](snapshot::PodObject& p) { p.spec.spread.push_back(p.spec.spread[0]); }, false},
        {"over hosts", [](snapshot::PodObject& p) { p.spec.spread[0].topology_key = hostname_key; },
         false},
        {"skew 2", [](snapshot::PodObject& p) { p.spec.spread[0].max_skew = 2; }, false},
        {"selects no pod", [](snapshot::PodObject& p) { p.spec.spread[0].selector.reset(); },
         false},
        {"selects all", [](snapshot::PodObject& p) { p.spec.spread[0].selector.emplace(); }, false},
        {"another value", [](snapshot::PodObject& p) { p.labels[label] = "web-2"; }, false},
        {"the pod lacks the label", [](snapshot::PodObject& p) { p.labels.clear(); }, false},
        {"an empty value", [](snapshot::PodObject& p) { emulated("")(p); }, false},
        {"a second label",
         [](snapshot::PodObject& p) { p.spec.spread[0].selector->match_labels["app"] = "web"; },
         false},
        {"an expression",
         [](snapshot::PodObject& p) {
             p.spec.spread[0].selector->match_expressions.push_back(
                 {.key = "app", .op = Operator::exists});
         },
         false},
        {"minDomains 3", [](snapshot::PodObject& p) { p.spec.spread[0].min_domains = 3; }, false},
        {"matchLabelKeys",
         [](snapshot::PodObject& p) { p.spec.spread[0].match_label_keys = {"pod-template-hash"}; },
         false},
    };
    Settings settings;
    settings.emulated_spread_label = label;
    for (const auto& c : cases) {
        snapshot::ClusterBuilder builder;
        snapshot::PodObject pod{.name = "web-1"};
        emulated()(pod);
        c.change(pod);
        const PodGroupId id = builder.add_equivalence_group(pod);
        EXPECT_EQ(pass_context::is_emulated(builder.build(), id, settings), c.emulated) << c.what;
        EXPECT_FALSE(pass_context::is_emulated(builder.build(), id, Settings()))
            << "disabled: " << c.what;
    }
}

TEST(SpreadEmulation, PlacesEachPodInTheZoneWithTheFewestPods) {
    PassCase c = three_zone_groups();
    running(c, "b", 2);
    c.pods("web", 5, 3000, emulated());
    // 0, 2 and 0 pods plus five: 3, 2 and 2.
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 3}, {"c", 2}}));
}

TEST(SpreadEmulation, KeepsAPodInAZoneThatCannotGrow) {
    PassCase c = three_zone_groups(1);
    c.pods("web", 9, 3000, emulated());
    const Decision decision = c.decide();
    // The constraint itself would limit a and b; the emulation does not.
    EXPECT_EQ(growth(decision), (Growths{{"a", 3}, {"b", 3}}));
    EXPECT_EQ(count_unschedulable(decision), 3);
    // The reason of the full group comes first.
    EXPECT_EQ(decision.unschedulable[0].groups.at(0).reason.sentence,
              "max node group size reached (1)");
    EXPECT_THAT(decision.unschedulable[0].groups.at(1).reason.sentence,
                HasSubstr("no more pods are allowed in this"));
}

TEST(SpreadEmulation, DoesNotBalanceGroupsOfDifferentZones) {
    PassCase c = three_zone_groups();
    c.settings.one_option_per_pass = true;
    c.pods("web", 9, 3000, emulated());
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 3}}));
}

TEST(SpreadEmulation, BalancesSimilarGroupsOfOneZone) {
    PassCase c = three_zone_groups();
    c.group("a2", 1, 100, amounts(4000), "za");
    c.pods("web", 12, 3000, emulated());
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"a2", 2}, {"b", 4}, {"c", 4}}));
}

TEST(SpreadEmulation, KeepsAPodInTheZoneItSelects) {
    PassCase c = three_zone_groups();
    running(c, "b", 5);
    c.pods("web", 3, 3000, [](snapshot::PodObject& pod) {
        emulated()(pod);
        pod.spec.node_selector[zone_key] = "zb";
    });
    EXPECT_EQ(growth(c.decide()), (Growths{{"b", 3}}));
}

TEST(SpreadEmulation, ExcludesZonesWithUntoleratedTaints) {
    PassCase c = three_zone_groups();
    c.test_cluster.describe("a", amounts(4000)).taints = {
        {.key = "dedicated", .value = "gpu", .effect = Effect::no_schedule}};
    c.pods("web", 4, 3000, emulated());
    // The node in zone a has no taint, so its zone counts, but it has no room.
    EXPECT_EQ(growth(c.decide()), (Growths{{"b", 1}, {"c", 1}}));
    PassCase d;
    d.settings.emulated_spread_label = label;
    d.group("a", 0, 100, amounts(4000), "za");
    d.group("b", 0, 100, amounts(4000), "zb");
    d.test_cluster.describe("a", amounts(4000)).taints = {{.key = "dedicated", .value = "gpu"}};
    d.pods("web", 4, 3000, emulated());
    EXPECT_EQ(growth(d.decide()), (Growths{{"b", 4}}));
}

TEST(SpreadEmulation, IncludesZonesOfGroupsWithoutNodes) {
    PassCase c;
    c.settings.emulated_spread_label = label;
    c.group("a", 1, 100, amounts(4000), "za");
    c.group("b", 0, 100, amounts(4000), "zb");
    c.pods("web", 4, 3000, emulated());
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 2}}));
}

TEST(SpreadEmulation, AppliesTheConstraintWithoutZones) {
    PassCase c;
    c.settings.emulated_spread_label = label;
    c.group("a", 1, 100);
    c.pods("web", 4, 3000, emulated());
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), Growths());
    EXPECT_THAT(decision.unschedulable[0].groups[0].reason.sentence,
                HasSubstr("missing required label"));
}

TEST(SpreadEmulation, CountsOldAndNewPodTemplatesTogether) {
    PassCase c = three_zone_groups();
    c.pods("old", 1, 3000, emulated());
    c.pods("web", 2, 3100, emulated());
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST(SpreadEmulation, CountsNamespacesSeparately) {
    PassCase c = three_zone_groups();
    c.pods("web", 1, 3000, emulated());
    c.pods("app", 1, 3000, [](snapshot::PodObject& pod) {
        pod.ns = "other";
        emulated()(pod);
    });
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}}));
}

TEST(SpreadEmulation, IgnoresPodsWhoseSpreadHasTimedOut) {
    PassCase c = three_zone_groups();
    c.settings.emulated_spread_label = label;
    c.pods("late", 2, 3000, [](snapshot::PodObject& pod) {
        emulated()(pod);
        pod.annotations["zalando.org/topology-spread-timeout"] = "59m59s";
    });
    c.pods("web", 1, 3000, emulated());
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(count_unschedulable(outcome.decision), 0);
    EXPECT_EQ(count(outcome.decision.schedulable), 3);
}

TEST(SpreadEmulation, HonoursTheSpreadTimeoutIfTheEmulationIsDisabled) {
    PassCase c = three_zone_groups(1);
    c.settings.emulated_spread_label = "";
    const auto with_timeout = [](const char* timeout) {
        return [=](snapshot::PodObject& pod) {
            emulated()(pod);
            pod.annotations["zalando.org/topology-spread-timeout"] = timeout;
        };
    };
    c.pods("late", 4, 3000, with_timeout("1h"));
    EXPECT_EQ(count(c.decide().schedulable), 2) << "c cannot grow and limits the others";
    const pass::Outcome still = c.run();
    EXPECT_EQ(still.wake_at, noon + Duration(1)) << "the timeout has not passed yet";
    c.call_context.now = *still.wake_at;
    EXPECT_EQ(count(c.decide().schedulable), 4);
}

TEST(SpreadEmulation, KeepsMovedPodsInTheirZone) {
    PassCase c = three_zone_groups();
    c.test_cluster.node("nowhere");
    c.pods("web", 1, 3000, emulated());
    c.pods("plain", 1, 3000, [](snapshot::PodObject&) {});
    const snapshot::Cluster cluster = c.test_cluster.cluster();
    const auto zone_at = [&](const char* pod, const char* node) -> std::string {
        PodGroupId id = 0;
        for (PodIndex p = 0; p < cluster.pod_count(); ++p) {
            if (cluster.text(cluster.pod(p).name) == pod) id = cluster.equivalence_group_of(p);
        }
        const auto zone =
            pass_context::pinned_zone(cluster, id, *cluster.find_node(node), c.settings);
        return zone ? std::string(cluster.text(*zone)) : "";
    };
    EXPECT_EQ(zone_at("web-0", "b-node-0"), "zb");
    EXPECT_EQ(zone_at("web-0", "nowhere"), "");
    EXPECT_EQ(zone_at("plain-0", "b-node-0"), "");
}

TEST(SpreadEmulation, RestrictsPodsToOneZone) {
    PassCase c = three_zone_groups();
    c.test_cluster.node("free-a").labels[zone_key] = "za";
    c.test_cluster.node("free-b").labels[zone_key] = "zb";
    c.pods("web", 1, 3000, emulated());
    const Snapshot snapshot = c.test_cluster.snapshot();
    const pass_context::PassContext context =
        pass_context::make_pass_context(snapshot, c.memory, c.settings, noon);
    scheduling::Placement placement(*context.predicates);
    const auto rooms = [&] {
        const snapshot::Cluster& cluster = context.snapshot->cluster;
        return std::pair(placement.room(0, *cluster.find_node("free-a"), 9).in_all,
                         placement.room(0, *cluster.find_node("free-b"), 9).in_all);
    };
    const scheduling::Placement::Mark mark = placement.mark();
    EXPECT_TRUE(pass_context::restrict_to_zone(placement, 0, "za", 1));
    EXPECT_EQ(rooms(), std::pair(1, 0));
    EXPECT_TRUE(pass_context::restrict_to_zone(placement, 0, "zb", 1))
        << "the other zone replaces it";
    EXPECT_EQ(rooms(), std::pair(0, 1));
    EXPECT_FALSE(pass_context::restrict_to_zone(placement, 0, "zx", 1));
    EXPECT_EQ(rooms(), std::pair(0, 0));
    placement.undo(mark);
    EXPECT_EQ(rooms(), std::pair(1, 1));
}

}  // namespace
}  // namespace capstan::engine::pass_context
