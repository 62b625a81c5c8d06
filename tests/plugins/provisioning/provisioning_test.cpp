#include <gmock/gmock.h>

#include "suggestions.hpp"

namespace capstan::provisioning {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<PodEquivalenceGroup> of_the_proposal(std::uint32_t s1, std::uint32_t s2,
                                                 std::uint32_t s3, std::uint32_t s4) {
    return {pod("s1", {{"x", "a"}, {type_label, "n1-standard-2"}}, s1), pod("s2", {{"y", "b"}}, s2),
            pod("s3", {{"x", "c"}}, s3), pod("s4", {{type_label, "n1-standard-16"}}, s4)};
}
const std::vector<MachineType> both{machine("n1-standard-16", 16), machine("n1-standard-2", 2)};

TEST(Provisioning, ComputesTheLabelSetsOfTheExampleInTheProposal) {
    EXPECT_THAT(
        brief(suggest(of_the_proposal(4, 3, 2, 1), both)),
        ElementsAre("n1-standard-16{x=c,y=b}", "n1-standard-2{x=a,y=b}", "n1-standard-2{x=c}"));
    // Here S3 is the most popular, and S1 gets a label set of its own.
    EXPECT_THAT(
        brief(suggest(of_the_proposal(1, 3, 4, 1), both)),
        ElementsAre("n1-standard-16{x=c,y=b}", "n1-standard-2{x=c,y=b}", "n1-standard-2{x=a}"));
}

TEST(Provisioning, WeighsByPodsOrCpu) {
    std::vector<PodEquivalenceGroup> pods{pod("many", {{"x", "a"}}, 3), pod("large", {{"x", "b"}})};
    pods[1].requests = {{"cpu", 8000}};
    const auto first = [&](Popularity popularity) {
        return brief(suggest(pods, {machine("m", 16)}, {.popularity = popularity})).front();
    };
    EXPECT_EQ(first(Popularity::pods), "m{x=a}");
    EXPECT_EQ(first(Popularity::cpu), "m{x=b}");
}

TEST(Provisioning, AddsNoLabelsForPodsWithoutSelectors) {
    EXPECT_THAT(brief(suggest({pod("big")}, {machine("m", 4)})), ElementsAre("m{}"));
}

TEST(Provisioning, CombinesCompatibleSelectors) {
    const std::vector<PodEquivalenceGroup> compatible{pod("a", {{"x", "1"}}),
                                                      pod("b", {{"y", "2"}})};
    EXPECT_THAT(brief(suggest(compatible, {machine("m", 4)})), ElementsAre("m{x=1,y=2}"));
    EXPECT_THAT(brief(suggest(compatible, {machine("m", 4)}, {.alpha = true})),
                ElementsAre("m{x=1}", "m{y=2}"));
    const std::vector<PodEquivalenceGroup> contrary{pod("a", {{"x", "1"}}), pod("b", {{"x", "2"}})};
    EXPECT_THAT(brief(suggest(contrary, {machine("m", 4)})), ElementsAre("m{x=1}", "m{x=2}"));
}

TEST(Provisioning, ComparesButNeverAddsLabelsOfTheMachine) {
    const std::vector<MachineType> machines{machine("m", 4, {"a", "b"})};
    const Suggestions here = suggest({pod("p", {{zone_label, "b"}})}, machines);
    ASSERT_THAT(brief(here), ElementsAre("m{}"));
    EXPECT_EQ(here.groups[0].plan.zone, "b");
    const Suggestions nowhere = suggest({pod("p", {{"kubernetes.io/arch", "arm64"}})}, machines);
    EXPECT_THAT(nowhere.groups, IsEmpty());
    ASSERT_EQ(nowhere.left_out.size(), 1u);
    EXPECT_THAT(nowhere.left_out[0].because, HasSubstr("the machine has \"amd64\""));
    // A host name cannot be a label of a group.
    EXPECT_THAT(suggest({pod("p", {{"kubernetes.io/hostname", "n1"}})}, machines).groups,
                IsEmpty());
}

TEST(Provisioning, MatchesCloudLabelsAgainstTheMachineType) {
    constexpr const char* key = "cloud.google.com/machine-family";
    MachineType n2 = machine("n2", 4), c3 = machine("c3", 4);
    n2.labels[key] = "n2";
    c3.labels[key] = "c3";
    EXPECT_THAT(brief(suggest({pod("p", {{key, "c3"}})}, {n2, c3})), ElementsAre("c3{}"));
    // An offering can have the label as well.
    c3.labels.erase(key);
    c3.offerings[0].labels[key] = "c3";
    EXPECT_THAT(brief(suggest({pod("p", {{key, "c3"}})}, {n2, c3})), ElementsAre("c3{}"));
}

std::vector<std::string> reasons(const Suggestions& suggestions) {
    std::vector<std::string> out;
    for (const auto& [type, because] : suggestions.left_out) out.push_back(type + ": " + because);
    return out;
}

TEST(Provisioning, ListsOfferedMachineTypesIfOneIsNotOffered) {
    const std::vector<MachineType> machines{machine("n1-standard-2", 2),
                                            machine("n1-standard-4", 4)};
    const Suggestions none = suggest({pod("p")}, machines, {.machine_types = {"n1-standrd-4"}});
    EXPECT_THAT(
        reasons(none),
        ElementsAre("n1-standrd-4: machine_types contains \"n1-standrd-4\", which the cloud does "
                    "not offer; it offers n1-standard-2, n1-standard-4",
                    "n1-standard-2: not in machine_types", "n1-standard-4: not in machine_types"));
    const Suggestions one =
        suggest({pod("p")}, machines, {.machine_types = {"n1-standard-2", "n1-standrd-4"}});
    EXPECT_THAT(brief(one), ElementsAre("n1-standard-2{}"));
    EXPECT_THAT(reasons(one),
                ElementsAre(HasSubstr("does not offer"), "n1-standard-4: not in machine_types"));
    EXPECT_THAT(
        reasons(suggest({pod("p")}, {}, {.machine_types = {"m"}})),
        ElementsAre(
            "m: machine_types contains \"m\", which the cloud does not offer; it offers none"));
}

TEST(Provisioning, ReportsTheNearestMissFirst) {
    MachineType arm = machine("a-arm", 64), nowhere = machine("b-nowhere", 4, {});
    arm.labels["kubernetes.io/arch"] = "arm64";
    PodEquivalenceGroup large = pod("large", {{"kubernetes.io/arch", "amd64"}});
    large.requests = {{"cpu", 9000}};
    const std::vector<PodEquivalenceGroup> pods{large};
    const std::vector<MachineType> machines{arm,
                                            nowhere,
                                            machine("c-small", 2),
                                            machine("d-8", 8),
                                            machine("e-unnamed", 64),
                                            machine("f-100", 100),
                                            machine("g-90", 90)};
    const Suggestions found = suggest_groups(
        {.pods = pods, .machines = machines, .room = {{"cpu", 80000}}},
        {.machine_types = {"a-arm", "b-nowhere", "c-small", "d-8", "f-100", "g-90", "typo"}});
    EXPECT_THAT(brief(found), IsEmpty());
    EXPECT_THAT(
        reasons(found),
        ElementsAre("g-90: max cluster cpu limit reached: 80 left, a new node needs 90",
                    "f-100: max cluster cpu limit reached: 80 left, a new node needs 100",
                    HasSubstr("d-8: no pod fits on a new machine; default/large: needs 9"),
                    HasSubstr("c-small: no pod fits on a new machine"),
                    HasSubstr("a-arm: no pod fits on a new machine; default/large: requires label"),
                    "b-nowhere: the cloud offers it in no zone",
                    HasSubstr("typo: machine_types contains"), "e-unnamed: not in machine_types"));
}

TEST(Provisioning, TreatsARequiredAffinityWithOneValueAsASelector) {
    PodEquivalenceGroup one = pod("one"), two = pod("two");
    one.affinity_required = {{.labels = {{.key = "disk", .op = Operator::in, .values = {"ssd"}}}}};
    two.affinity_required = {
        {.labels = {{.key = "disk", .op = Operator::in, .values = {"ssd", "hdd"}}}}};
    EXPECT_THAT(brief(suggest({one}, {machine("m", 4)})), ElementsAre("m{disk=ssd}"));
    EXPECT_THAT(suggest({two}, {machine("m", 4)}).groups, IsEmpty());
    // Of several terms, the first that can be met is used.
    two.affinity_required.push_back(
        {.labels = {{.key = "disk", .op = Operator::in, .values = {"hdd"}}}});
    EXPECT_THAT(brief(suggest({two}, {machine("m", 4)})), ElementsAre("m{disk=hdd}"));
}

TEST(Provisioning, DoesNotExcludePodsByLabelsOfOtherPods) {
    PodEquivalenceGroup shy = pod("shy", {}, 5);
    shy.affinity_required = {{.labels = {{.key = "x", .op = Operator::does_not_exist}}}};
    EXPECT_THAT(brief(suggest({shy, pod("a", {{"x", "1"}})}, {machine("m", 4)})),
                ElementsAre("m{}", "m{x=1}"));
}

TEST(Provisioning, SuggestsOnlyMachinesThatFitAPod) {
    PodEquivalenceGroup gpu = pod("gpu");
    gpu.requests = {{"cpu", 1000}, {"nvidia.com/gpu", 1}};
    MachineType with = machine("with-gpu", 4);
    with.allocatable.set("nvidia.com/gpu", 1);
    with.taints = {{"nvidia.com/gpu", "present", Effect::no_schedule}};
    EXPECT_THAT(suggest({gpu}, {machine("m", 4), with}).groups, IsEmpty());
    gpu.tolerations = {{.key = "nvidia.com/gpu", .op = Toleration::Op::exists}};
    const Suggestions found = suggest({gpu}, {machine("m", 4), with});
    EXPECT_THAT(brief(found), ElementsAre("with-gpu{}"));
    ASSERT_EQ(found.left_out.size(), 1u);
    EXPECT_THAT(found.left_out[0].because, HasSubstr("needs 1 of nvidia.com/gpu, 0 are free"));
}

TEST(Provisioning, SeparatesPodsThatTolerateAndSelectTheSame) {
    std::vector<PodEquivalenceGroup> pods{
        pod("a", {{"team", "a"}}), pod("b", {{"team", "b"}, {"x", "1"}}), pod("c", {{"x", "1"}})};
    pods[0].tolerations = {tolerates_team("a")};
    pods[1].tolerations = {tolerates_team("b")};
    EXPECT_THAT(
        brief(suggest(pods, {machine("m", 4)})),
        ElementsAre("m{x=1}", "m{team=a}!team=a:NoSchedule", "m{team=b,x=1}!team=b:NoSchedule"));
    EXPECT_THAT(brief(suggest(pods, {machine("m", 4)}, {.dedicated = Dedicated::off})),
                ElementsAre("m{team=a,x=1}", "m{team=b,x=1}"));
}

TEST(Provisioning, IgnoresATolerationWithoutASelectorByDefault) {
    PodEquivalenceGroup tolerant = pod("p");
    tolerant.tolerations = {tolerates_team("a")};
    EXPECT_THAT(brief(suggest({tolerant}, {machine("m", 4)})), ElementsAre("m{}"));
    const Config literal{.dedicated = Dedicated::toleration};
    EXPECT_THAT(brief(suggest({tolerant}, {machine("m", 4)}, literal)),
                ElementsAre("m{}!team=a:NoSchedule"));
    tolerant.tolerations.front().effect = Effect::no_execute;
    EXPECT_THAT(brief(suggest({tolerant}, {machine("m", 4)}, literal)),
                ElementsAre("m{}!team=a:NoExecute"));
    // A pod that tolerates any value names no value for a taint.
    tolerant.tolerations = {{.key = "team", .op = Toleration::Op::exists}};
    EXPECT_THAT(brief(suggest({tolerant}, {machine("m", 4)}, literal)), ElementsAre("m{}"));
}

TEST(Provisioning, SuggestsZonesAndSpotAsOffered) {
    MachineType type = machine("m", 4, {"a", "b"});
    type.offerings.push_back({.zone = "a", .spot = true});
    EXPECT_EQ(suggest({pod("p")}, {type}).groups.size(), 3u);
    EXPECT_EQ(suggest({pod("p")}, {type}, {.spot = Spot::never}).groups.size(), 2u);
    const Suggestions spot = suggest({pod("p")}, {type}, {.spot = Spot::only});
    ASSERT_EQ(spot.groups.size(), 1u);
    EXPECT_TRUE(spot.groups[0].plan.spot);
    EXPECT_EQ(suggest({pod("p")}, {type}, {.zones = {"b"}}).groups.size(), 1u);
}

TEST(Provisioning, ReportsTheLimitThatWasReached) {
    const std::vector<PodEquivalenceGroup> pods{pod("p")};
    const std::vector<MachineType> machines{machine("large", 16), machine("small", 2)};
    const auto with_room = [&](Resources room, int groups = 0) {
        return suggest_groups(
            {.pods = pods, .machines = machines, .groups = groups, .room = std::move(room)}, {});
    };
    const Suggestions tight = with_room({{"cpu", 4000}});
    EXPECT_THAT(brief(tight), ElementsAre("small{}"));
    ASSERT_EQ(tight.left_out.size(), 1u);
    EXPECT_EQ(tight.left_out[0].because,
              "max cluster cpu limit reached: 4 left, a new node needs 16");
    EXPECT_THAT(with_room({{"nodes", 0}}).groups, IsEmpty());
    const Suggestions full = with_room({}, 50);
    EXPECT_THAT(full.groups, IsEmpty());
    EXPECT_EQ(full.left_out.front().because, "max_groups reached: 50 of 50");
}

TEST(Provisioning, SuggestsNothingWithoutPodsOrMachines) {
    EXPECT_THAT(suggest({}, {machine("m", 4)}).groups, IsEmpty());
    EXPECT_THAT(suggest({pod("p")}, {}).groups, IsEmpty());
    EXPECT_THAT(suggest({pod("p")}, {machine("m", 4)}, {.machine_types = {"other"}}).groups,
                IsEmpty());
}

}  // namespace
}  // namespace capstan::provisioning
