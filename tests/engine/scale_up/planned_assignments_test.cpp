// Planned assignments keep the next pass from requesting nodes for the same pods again.
#include "engine/scale_up/planned_assignments.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <random>

#include "../pass_case.hpp"
#include "engine/health/known_groups.hpp"

namespace capstan::engine::scale_up {
namespace {

/// The cloud accepts all increases; no node has joined yet.
void grow(PassCase& c, const Decision& decision) {
    for (const Increase& increase : decision.increases)
        *c.test_cluster.change_group(increase.group.value()).group.target += increase.by;
    c.call_context.now += 10s;
}

void accept(PassCase& c, pass::Outcome outcome) {
    grow(c, outcome.decision);
    Results results;
    results.increases.resize(outcome.decision.increases.size());
    c.memory = pass::remember_results(std::move(outcome.memory), outcome.decision, results,
                                      c.settings, c.call_context.now);
}

/// A line for each entry: "web-a 2 x { default//app=b#00c0ffee00c0ffee: 3 }".
std::string to_text(const Memory& memory) {
    std::string out;
    for (const auto& [group, planned] : memory.planned) {
        for (const PlannedNodes& nodes : planned) {
            out += group.value() + " " + std::to_string(nodes.nodes) + " x {";
            for (const auto& [key, count] : nodes.pods)
                out += " " + key + ": " + std::to_string(count);
            out += " }\n";
        }
    }
    return out;
}

using Planned = std::map<NodeGroupId, std::vector<PlannedNodes>>;

/// The plan with keys that contain only the controller.
Planned by_controller(const Memory& memory) {
    Planned out;
    for (const auto& [group, planned] : memory.planned) {
        for (const PlannedNodes& nodes : planned) {
            std::map<std::string, int> pods;
            for (const auto& [key, count] : nodes.pods)
                pods[std::string(pods::controller_of(key))] += count;
            out[group].push_back({nodes.nodes, std::move(pods)});
        }
    }
    return out;
}

class Chance {
public:
    explicit Chance(unsigned seed) : engine_(seed) {}
    /// From 0 to `end` - 1.
    int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }

private:
    std::mt19937 engine_;
};

/// Groups of two sizes in three zones, and pods with no constraint, anti-affinity or spread
/// constraints.
PassCase random_case(unsigned seed) {
    Chance chance(seed);
    PassCase c;
    for (const char* zone : {"a", "b", "c"}) {
        c.group(std::string("web-") + zone, chance.below(2), 9, amounts(4000), zone);
        if (chance.below(2) == 0) c.group(std::string("large-") + zone, 0, 3, amounts(9000), zone);
    }
    const auto nothing = [](snapshot::PodObject&) {};
    for (int n = 1 + chance.below(5); n > 0; --n) {
        std::string name(1, static_cast<char>('a' + chance.below(26)));
        name += std::to_string(n);
        const int count = 1 + chance.below(9);
        const std::int64_t cpu = 500 * (1 + chance.below(7));
        switch (chance.below(6)) {
            case 0: c.pods(name, count, cpu, apart_on(hostname_key)); break;
            case 1: c.pods(name, count, cpu, nothing); break;
            case 2: c.pods(name, count, cpu, spread_over(hostname_key)); break;
            default: c.pods(name, count, cpu, spread_over(zone_key)); break;
        }
    }
    return c;
}

TEST(PlannedAssignments, PreventFurtherIncreasesInTheNextPass) {
    int with_increases = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        PassCase c = random_case(seed);
        pass::Outcome first = c.run();
        if (!first.decision.unschedulable.empty()) continue;
        with_increases += first.decision.increases.empty() ? 0 : 1;
        accept(c, std::move(first));
        const pass::Outcome next = c.run();
        EXPECT_EQ(growth(next.decision), Growths()) << "seed " << seed;
        EXPECT_EQ(to_text(next.memory), to_text(c.memory)) << "seed " << seed;
    }
    EXPECT_GT(with_increases, 100);
}

TEST(PlannedAssignments, StayIfAnotherNodeOpensAZone) {
    PassCase c;
    c.group("web-a", 0, 9, amounts(4000), "a");
    c.group("web-b", 0, 9, amounts(4000), "b");
    c.expander = PreferenceExpander({"web-a"});
    c.settings.balance_similar = false;
    c.pods("front", 3, 1000, spread_over(zone_key));
    accept(c, c.run());
    ASSERT_EQ(*c.test_cluster.change_group("web-a").group.target, 1);
    c.pods("mail", 1, 1000,
           [](snapshot::PodObject& pod) { pod.spec.node_selector = {{zone_key, "b"}}; });
    accept(c, c.run());
    ASSERT_EQ(*c.test_cluster.change_group("web-b").group.target, 1);
    EXPECT_EQ(growth(c.decide()), Growths());
}

TEST(PlannedAssignments, SurviveACrashBeforeTheResponse) {
    int would_ask_again = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        PassCase c = random_case(seed);
        const pass::Outcome first = c.run();
        if (!first.decision.unschedulable.empty()) continue;
        grow(c, first.decision);
        would_ask_again += c.decide().increases.empty() ? 0 : 1;
        c.memory = pass::remember_plan(c.memory, first, c.settings, c.call_context.now);
        EXPECT_EQ(growth(c.decide()), Growths()) << "seed " << seed;
    }
    EXPECT_GT(would_ask_again, 0);
}

PassCase spread_over_two_zones() {
    PassCase c;
    for (const char* zone : {"a", "b"}) c.group(zone, 0, 9, amounts(4000), zone);
    c.pods("web", 4, 1500, spread_over(zone_key));
    return c;
}

TEST(PlannedAssignments, ListThePodsOfEachNode) {
    PassCase c = spread_over_two_zones();
    const std::vector<PlannedNodes> two_each{{1, {{"default//app=web", 2}}}};
    EXPECT_EQ(by_controller(c.run().memory),
              (Planned{{NodeGroupId("a"), two_each}, {NodeGroupId("b"), two_each}}));
}

TEST(PlannedAssignments, AreForgottenWithTheirNodesAndPods) {
    PassCase c = spread_over_two_zones();
    c.memory.planned[NodeGroupId("a")] = {{3, {{"default//app=gone", 7}}}};
    c.memory.planned[NodeGroupId("gone")] = {{1, {{"default//app=web", 1}}}};
    c.settings.nodes.max = 0;
    EXPECT_EQ(c.run().memory.planned.size(), 0u);
}

TEST(PlannedAssignments, PreferNodesWhosePodsAreAllPending) {
    PassCase c;
    c.group("a", 0, 9).group.target = 1;
    c.pods("two", 1, 2000);
    c.pods("four", 1, 4000);
    c.memory.planned[NodeGroupId("a")] = {{1, {{"default//app=two", 2}}},
                                          {1, {{"default//app=four", 1}}}};
    EXPECT_EQ(by_controller(c.run().memory).at(NodeGroupId("a")),
              (std::vector<PlannedNodes>{{1, {{"default//app=four", 1}}},
                                         {1, {{"default//app=two", 1}}}}));
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}}));
}

TEST(PlannedAssignments, ExcludePodsThatNoLongerFit) {
    PassCase c = spread_over_two_zones();
    c.test_cluster.change_group("a").group.target = 1;
    c.memory.planned[NodeGroupId("a")] = {{1, {{"default//app=web", 4}}}};
    EXPECT_EQ(growth(c.decide()), (Growths{{"b", 1}}));
}

/// Group "a" belongs to a cloud that becomes unavailable after it accepted an increase for two pods
/// "web".
struct TwoClouds : PassCase {
    TwoClouds() {
        group("a", 0, 9).cloud = PluginInstanceId("away");
        group("b", 0, 9, amounts(8000));
        expander = PreferenceExpander({"a"});
        pods("web", 2, 1500);
        pass::Outcome first = run();
        EXPECT_EQ(growth(first.decision), (Growths{{"a", 1}}));
        accept(*this, std::move(first));
    }
    /// A pass of a host that started later.
    pass::Outcome run_without_a() {
        Snapshot seen = test_cluster.snapshot();
        std::vector<Group> read = *seen.groups;
        std::erase_if(read, [](const Group& group) { return group.group.id.value() == "a"; });
        seen.groups =
            health::with_unread_groups(std::make_shared<const std::vector<Group>>(std::move(read)),
                                       {{PluginInstanceId("away"), "no answer"}}, memory);
        return run(seen);
    }
};

TEST(PlannedAssignments, AreKeptForAnUnreadableCloudAfterARestart) {
    TwoClouds c;
    const pass::Outcome outcome = c.run_without_a();
    EXPECT_EQ(growth(outcome.decision), Growths());
    EXPECT_EQ(count_unschedulable(outcome.decision), 0);
    EXPECT_EQ(skipped(outcome.decision, "fit on existing or upcoming nodes"), 2);
    EXPECT_THAT(
        outcome.decision.notes,
        ::testing::Contains("group a cannot be read: 2 pods stay planned on its requested nodes"));
    EXPECT_EQ(to_text(outcome.memory), to_text(c.memory));
}

TEST(PlannedAssignments, LeaveNoRoomForOtherPodsIfTheCloudIsUnreadable) {
    TwoClouds c;
    c.pods("other", 1, 1500);
    const Decision decision = c.run_without_a().decision;
    EXPECT_EQ(growth(decision), (Growths{{"b", 1}}));
    EXPECT_EQ(count(decision.schedulable), 1);
}

TEST(PlannedAssignments, EndWithTheRequestIfTheCloudIsUnreadable) {
    TwoClouds c;
    c.call_context.now = c.memory.requests.at(NodeGroupId("a")).deadline;
    const pass::Outcome outcome = c.run_without_a();
    EXPECT_EQ(growth(outcome.decision), Growths());
    EXPECT_EQ(outcome.wake_at, c.call_context.now + 1ns);
    c.call_context.now += 1ns;
    EXPECT_EQ(growth(c.run_without_a().decision), (Growths{{"b", 1}}));
}

/// Three pods of each of three sizes, equal except for their requests.
void pods_of_three_sizes(PassCase& c, const char* kind) {
    for (const int size : {1, 2, 3}) {
        c.pods("size-" + std::to_string(size), 3, 1000 * size, [&](snapshot::PodObject& pod) {
            pod.labels = {{"app", "batch"}};
            pod.owner = {.kind = kind, .name = *kind == 0 ? "" : "nightly"};
        });
    }
}

TEST(PlannedAssignments, AreNotRepeatedForPodsOfSeveralSizes) {
    for (const char* kind : {"", "Workflow"}) {
        PassCase c;
        c.group("a", 0, 9, amounts(3900));
        pods_of_three_sizes(c, kind);
        pass::Outcome first = c.run();
        EXPECT_EQ(growth(first.decision), (Growths{{"a", 6}})) << kind;
        accept(c, std::move(first));
        const pass::Outcome next = c.run();
        EXPECT_EQ(growth(next.decision), Growths()) << kind;
        EXPECT_EQ(to_text(next.memory), to_text(c.memory)) << kind;
    }
}

TEST(PlannedAssignments, ApplyToTheSuccessorsOfRecreatedPods) {
    PassCase c;
    c.group("a", 0, 9, amounts(4000), "a");
    c.group("b", 0, 9, amounts(4000), "b");
    const auto of_web = [](snapshot::PodObject& pod) {
        pod.owner = {.kind = "ReplicaSet", .name = "web"};
        spread_over(zone_key)(pod);
    };
    c.pods("web", 4, 1500, of_web);
    pass::Outcome first = c.run();
    EXPECT_EQ(growth(first.decision), (Growths{{"a", 1}, {"b", 1}}));
    accept(c, std::move(first));
    for (int n = 0; n < 4; ++n) c.test_cluster.drop_pod("web-" + std::to_string(n));
    c.pods("web", 4, 1400, of_web);
    EXPECT_EQ(growth(c.run().decision), Growths());
}

TEST(PlannedAssignments, AreFoundByControllerAfterAnUpgrade) {
    PassCase c = spread_over_two_zones();
    pass::Outcome first = c.run();
    accept(c, std::move(first));
    c.memory.planned = by_controller(c.memory);
    EXPECT_EQ(growth(c.run().decision), Growths());
}

TEST(PlannedAssignments, UseTheControllerAsKeyIfThereIsOne) {
    TestCluster test_cluster;
    test_cluster.pod("bare").labels = {{"app", "web"}, {"tier", "1"}};
    test_cluster.pod("owned").owner = {.kind = "ReplicaSet", .name = "web-7f"};
    const snapshot::Cluster cluster = test_cluster.cluster();
    std::vector<std::string> names;
    for (PodGroupId id = 0; id < cluster.pod_group_count(); ++id)
        names.emplace_back(pods::controller_of(pods::pod_group_key(cluster, id)));
    std::ranges::sort(names);
    EXPECT_EQ(names,
              (std::vector<std::string>{"default//app=web,tier=1", "default/ReplicaSet/web-7f"}));
}

}  // namespace
}  // namespace capstan::engine::scale_up
