#include "config.hpp"

#include <gmock/gmock.h>

#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::IsEmpty;
using testing::list;
using testing::Rejection;
using testing::table;
using testing::Value;
using namespace std::chrono_literals;

TEST(SimulatedConfig, ReadsAGroupWithDefaults) {
    FakeSettings settings(config_schema());
    EXPECT_THAT(rejections(FakeSettings(config_schema())), IsEmpty());
    const Config config = read_config(settings.view());
    ASSERT_EQ(config.groups.size(), 1u);
    const GroupConfig& group = config.groups[0];
    EXPECT_EQ(group.size, 0);
    EXPECT_EQ(group.max, 10);
    EXPECT_EQ(group.boot, 60s);
    EXPECT_EQ(group.capacity, std::nullopt);
    EXPECT_EQ(group.on_exhausted, Shortage::report);
    EXPECT_EQ(group.price, std::nullopt);
    EXPECT_EQ(group.options, GroupOptions{});
}

TEST(SimulatedConfig, ReadsPricesAndOptionsOfAGroup) {
    const GroupConfig group = configured({web({{"price_per_hour", 0.25},
                                               {"spot", true},
                                               {"options", table({{"zero_or_max", true},
                                                                  {"utilization_threshold", 0.7},
                                                                  {"unneeded_time", "2m"}})}})})
                                  .groups.at(0);
    EXPECT_EQ(group.price, (Price{.per_hour = 0.25, .currency = "USD"}));
    GroupOptions wishes;
    wishes.zero_or_max = true;
    wishes.utilization_threshold = 0.7;
    wishes.unneeded_time = 2min;
    EXPECT_EQ(group.options, wishes);
}

TEST(SimulatedConfig, SortsChangesByTime) {
    const GroupConfig group =
        configured({web({{"changes", list(table({{"at", "2h"}, {"lose", 1}}),
                                          table({{"at", "1h"}, {"lose", 2}}),
                                          table({{"at", "2h"}, {"lose", 3}}))}})})
            .groups.at(0);
    std::vector<int> lost;
    for (const Change& change : group.changes) lost.push_back(change.lose);
    EXPECT_THAT(lost, ElementsAre(2, 1, 3));
}

TEST(SimulatedConfig, RejectsContradictingSizes) {
    const std::pair<Members, Rejection> cases[] = {
        {{{"min", 3}, {"max", 2}}, {"groups[0].min", "is above max, 2"}},
        {{{"max", 2}, {"size", 3}}, {"groups[0].size", "is not between min and max"}},
        {{{"min", 2}, {"size", 1}}, {"groups[0].size", "is not between min and max"}},
        {{{"size", 3}, {"capacity", 2}}, {"groups[0].size", "is above the capacity"}},
        {{{"min", 3}, {"capacity", 2}}, {"groups[0].min", "is above the capacity"}}};
    for (const auto& [members, rejection] : cases)
        EXPECT_THAT(rejections(settings_with({web(members)})), ElementsAre(rejection));
}

TEST(SimulatedConfig, ReportsAllMistakesAtOnce) {
    FakeSettings settings =
        settings_with({web(), web({{"min", 2}, {"max", 1}}), {{"id", ""}, {"machine", machine()}}});
    settings.set("currency", "dollar");
    check_config(settings.view());
    EXPECT_THAT(settings.rejections(),
                ElementsAre(Rejection{"currency", "must be three capital letters"},
                            Rejection{"groups[1].id", "duplicate group id"},
                            Rejection{"groups[1].min", "is above max, 1"},
                            Rejection{"groups[2].id", "must not be empty"}));
}

TEST(SimulatedConfig, RejectsGroupsWithTheSameNodeNames) {
    for (const bool joins : {false, true}) {
        FakeSettings settings = settings_with(
            {{{"id", "web.a"}, {"machine", machine()}}, {{"id", "Web-A"}, {"machine", machine()}}});
        settings.set("register_nodes", joins);
        check_config(settings.view());
        const std::vector<Rejection> expected{
            {"groups[1].id", "its nodes would have the same names as those of another group"}};
        EXPECT_EQ(settings.rejections(), joins ? expected : std::vector<Rejection>());
    }
}

TEST(SimulatedConfig, RejectsEmptyAndContradictingChanges) {
    const std::pair<Value, Rejection> cases[] = {
        {table({{"at", "1m"}}), {"groups[0].changes[0].at", "the change does nothing"}},
        {table({{"at", "1m"}, {"capacity", 1}, {"unlimited", true}}),
         {"groups[0].changes[0].unlimited", "cannot be combined with capacity"}},
        {table({{"at", "1m"}, {"fail", table({{"code", "quota"}})}, {"recover", true}}),
         {"groups[0].changes[0].recover", "cannot be combined with fail, fail_removals or error"}}};
    for (const auto& [change, rejection] : cases)
        EXPECT_THAT(rejections(settings_with({web({{"changes", list(change)}})})),
                    ElementsAre(rejection));
}

}  // namespace
}  // namespace capstan::simulated
