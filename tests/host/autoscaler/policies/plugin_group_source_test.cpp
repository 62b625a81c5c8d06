// Suggestions of group sources, and groups that clouds would create.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include <capstan/plugin.hpp>

#include "../../plugin_runtime/test_host.hpp"
#include "autoscaler/group_maker.hpp"
#include "autoscaler/policies/plugin_policies.hpp"

namespace capstan::autoscaler::policies {
namespace {

using ::testing::HasSubstr;

std::function<void(const GroupSourceRequest&, const GroupSuggestions&)> on_suggest;

struct TestGroupSource {
    void suggest(const Call&, const GroupSourceRequest& question,
                 const GroupSuggestions& suggest) const {
        on_suggest(question, suggest);
    }
    bool owns(const Call&, const GroupView& group) const { return group.id().starts_with("nap-"); }
};

GroupPlan plan(std::string name) {
    return {.name = std::move(name), .machine_type = "m", .zone = "a"};
}

struct PluginGroupSourceTest : ::testing::Test {
    plugin_runtime::TestHost host;
    plugin_runtime::instances::PassWatch watch;
    plugin_runtime::Running<TestGroupSource> running{host};
    std::unique_ptr<PluginGroupSource> source =
        PluginGroupSource::make(running.shared(), watch).value();
    std::vector<MachineType> machines{{.name = "m", .offerings = {{.zone = "a"}}}};
    NodeGroup group{.id = NodeGroupId("nap-there")};

    Result<engine::GroupsAnswer> ask(
        std::function<void(const GroupSourceRequest&, const GroupSuggestions&)> hook) {
        on_suggest = std::move(hook);
        const std::vector<PodEquivalenceGroup> pods{{.ns = "shop", .example = "web", .count = 3}};
        const std::vector<engine::GroupsQuestion::Existing> existing{{&group, nullptr}};
        return source->suggest({.pods = pods,
                                .machines = machines,
                                .existing = existing,
                                .room = {{"cpu", 8000}},
                                .cloud = PluginInstanceId("gce")},
                               {});
    }
    std::string error_of(const std::function<void(const GroupSuggestions&)>& hook) {
        const auto answer =
            ask([&](const auto&, const GroupSuggestions& suggest) { hook(suggest); });
        return answer ? "none" : answer.error().message;
    }
};

TEST_F(PluginGroupSourceTest, ReceivesPodsMachinesAndGroups) {
    const auto answer =
        ask([](const GroupSourceRequest& question, const GroupSuggestions& suggest) {
            EXPECT_EQ(question.pods().size(), 1u);
            EXPECT_EQ(question.machines().size(), 1u);
            ASSERT_EQ(question.existing().size(), 1u);
            EXPECT_EQ(question.existing()[0].group().id(), "nap-there");
            EXPECT_FALSE(question.existing()[0].node());
            EXPECT_EQ(Resources(question.room()).amount("cpu"), 8000);
            EXPECT_EQ(question.cloud(), "gce");
            suggest(plan("nap-m"), "for 3 pods");
            suggest.leave_out("n", "is too small");
            suggest.limit_groups(50);
        });
    ASSERT_TRUE(answer) << answer.error();
    ASSERT_EQ(answer->groups.size(), 1u);
    EXPECT_EQ(answer->groups[0].plan, plan("nap-m"));
    EXPECT_EQ(answer->groups[0].because, "for 3 pods");
    ASSERT_EQ(answer->left_out.size(), 1u);
    EXPECT_EQ(answer->most_groups, 50);
}

TEST_F(PluginGroupSourceTest, IsRefusedForInvalidSuggestions) {
    EXPECT_EQ(error_of([](const GroupSuggestions&) {}), "none");
    EXPECT_THAT(error_of([](const GroupSuggestions& suggest) {
                    for (int i = 0; i < 2; ++i) suggest(plan("nap-m"), "");
                }),
                HasSubstr(R"(suggested group "nap-m" twice)"));
    EXPECT_THAT(error_of([](const GroupSuggestions& suggest) {
                    GroupPlan elsewhere = plan("nap-m");
                    elsewhere.zone = "b";
                    suggest(elsewhere, "");
                }),
                HasSubstr("whose machine is not on offer"));
    EXPECT_THAT(error_of([](const GroupSuggestions& suggest) { suggest(plan("Nap_M"), ""); }),
                HasSubstr("has characters other than lower-case letters"));
    EXPECT_THAT(error_of([](const GroupSuggestions& suggest) { suggest.limit_groups(-1); }),
                HasSubstr("limited groups to -1"));
    EXPECT_THAT(error_of([](const GroupSuggestions& suggest) {
                    for (int i = 0; i <= 100'000; ++i)
                        suggest(plan("nap-" + std::to_string(i)), "");
                }),
                HasSubstr("more than 100000 groups"));
}

TEST_F(PluginGroupSourceTest, MaySuggestOnlyMachinesOnOffer) {
    machines = {{.name = "m", .offerings = {{.zone = "a"}, {.zone = "b", .spot = true}}},
                {.name = "n"}};
    struct Case {
        const char *type, *zone;
        bool spot, is_accepted;
    };
    const std::vector<Case> cases{
        {"m", "a", false, true},  {"m", "a", true, false},   // only on demand
        {"m", "b", true, true},   {"m", "b", false, false},  // only spot
        {"m", "", false, false},                             // no zone
        {"n", "a", false, false},                            // no offer at all
        {"l", "a", false, false}, {"o", "a", false, false},  // no such type
    };
    for (const auto& [type, zone, spot, is_accepted] : cases) {
        GroupPlan wanted = plan("nap-m");
        wanted.machine_type = type;
        wanted.zone = zone;
        wanted.spot = spot;
        EXPECT_EQ(error_of([&](const GroupSuggestions& suggest) { suggest(wanted, ""); }),
                  is_accepted ? "none"
                              : "plugin probe: suggest suggested group \"nap-m\", whose machine is "
                                "not on offer")
            << type << " in " << zone;
    }
}

TEST_F(PluginGroupSourceTest, IsRefusedForItsFirstMistake) {
    EXPECT_EQ(error_of([](const GroupSuggestions& suggest) {
                  suggest(plan("nap-m"), "");
                  suggest.limit_groups(-2);
                  suggest(plan("nap-m"), "");
                  suggest.limit_groups(5);
              }),
              "plugin probe: suggest limited groups to -2");
}

TEST_F(PluginGroupSourceTest, MayForbidAnyGroupAndCorrectItsLimit) {
    const auto answer = ask([](const auto&, const GroupSuggestions& suggest) {
        suggest.limit_groups(5);
        suggest.limit_groups(0);
    });
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->most_groups, 0);
    EXPECT_EQ(ask([](const auto&, const auto&) {})->most_groups, std::nullopt);
}

TEST_F(PluginGroupSourceTest, HasItsReasonsCutAtAKibibyte) {
    const auto answer = ask([](const auto&, const GroupSuggestions& suggest) {
        suggest(plan("nap-m"), std::string(2000, 'r'));
        suggest.leave_out("n", std::string(2000, 'r'));
        suggest.leave_out(std::string(2000, 'n'), "");
    });
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->groups.at(0).because, std::string(1024, 'r'));
    ASSERT_EQ(answer->left_out.size(), 2u);
    EXPECT_EQ(answer->left_out[0].because, std::string(1024, 'r'));
    EXPECT_EQ(answer->left_out[1].machine_type, std::string(1024, 'n'));
}

TEST_F(PluginGroupSourceTest, IsNotRefusedForManyReasons) {
    const auto answer = ask([](const auto&, const GroupSuggestions& suggest) {
        for (int i = 0; i <= 100'000; ++i) suggest.leave_out("n", "");
    });
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->left_out.size(), 100'000u);
}

TEST_F(PluginGroupSourceTest, ReportsWhichGroupsItOwns) {
    EXPECT_TRUE(source->owns(group, {}).value());
    EXPECT_FALSE(source->owns({.id = NodeGroupId("web")}, {}).value());
}

/// Counts its calls, and creates groups of machine type "m" only.
struct ProvisioningCloud {
    static inline int calls = 0;
    Result<CloudView> refresh() { return CloudView(); }
    Result<Resized> increase(Resize) { return Resized(); }
    Result<Resized> decrease_target(Resize) { return Resized(); }
    Result<Removed> remove(Removal) { return Removed(); }
    Result<NodeTemplate> describe(NodeGroupId) { return NodeTemplate(); }
    Result<MachineTypes> machine_types() { return MachineTypes(); }
    Result<PlannedGroup> new_group(const Call&, const GroupPlan& wanted) const {
        ++calls;
        if (wanted.machine_type != "m") return fail(ErrorCode::unsupported, "no such machine");
        return PlannedGroup{{.id = NodeGroupId(wanted.name), .autoprovisioned = true},
                            {.name = wanted.name, .capacity = {{"cpu", 4000}}}};
    }
    Result<void> create(GroupPlan) { return {}; }
    Result<void> destroy(NodeGroupId) { return {}; }
    Price price(const Call&, const GroupView&, const TemplateView&) const {
        return {.per_hour = 0.25};
    }
};

TEST(CloudGroupMaker, AsksOnceForEachPlanAndUsesRecordedAnswers) {
    plugin_runtime::TestHost host;
    plugin_runtime::instances::PassWatch watch;
    plugin_runtime::Running<ProvisioningCloud> cloud(host, plugin_runtime::identity("east"));
    const std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> clouds{
        cloud.shared()};
    const PluginInstanceId east("east");
    GroupPlan other = plan("nap-n");
    other.machine_type = "n";
    ProvisioningCloud::calls = 0;
    autoscaler::PassCurrency currency;
    autoscaler::CloudGroupMaker maker(clouds, {}, watch, currency);
    for (int i = 0; i < 2; ++i) {
        const auto group = maker.new_group(east, plan("nap-m"), {});
        ASSERT_TRUE(group) << group.error();
        EXPECT_EQ(group->planned.group.id, NodeGroupId("nap-m"));
        EXPECT_EQ(group->price_per_hour, 0.25);
        EXPECT_EQ(maker.new_group(east, other, {}).error().code, ErrorCode::unsupported);
    }
    EXPECT_EQ(ProvisioningCloud::calls, 2);
    EXPECT_FALSE(maker.new_group(PluginInstanceId("west"), plan("nap-m"), {}));

    const std::vector<autoscaler::PlannedGroupAnswer> answers = maker.take_candidate_groups();
    autoscaler::CloudGroupMaker again(clouds, answers, watch, currency);
    EXPECT_EQ(again.new_group(east, plan("nap-m"), {})->price_per_hour, 0.25);
    EXPECT_FALSE(again.new_group(east, other, {}));
    EXPECT_EQ(ProvisioningCloud::calls, 2);
    GroupPlan changed = plan("nap-m");
    changed.labels = {{"team", "a"}};
    EXPECT_TRUE(again.new_group(east, changed, {}))
        << "another plan with the same name is asked for";
    EXPECT_EQ(ProvisioningCloud::calls, 3);
}

}  // namespace
}  // namespace capstan::autoscaler::policies
