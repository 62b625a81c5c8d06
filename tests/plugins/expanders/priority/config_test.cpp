#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list;
using testing::Rejection;
using testing::table;

TEST(PriorityConfig, HasNoTiersUnlessTold) {
    FakeSettings settings(priority_schema());
    check_priority(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    EXPECT_THAT(tiers_of(read_priority(settings.view())).value(), IsEmpty());
}

TEST(PriorityConfig, TriesTheHighestPriorityFirst) {
    FakeSettings settings(priority_schema());
    settings.set("priorities", table({{"-9223372036854775808", list("a")},
                                      {"10", list("b", "c")},
                                      {"+20", list()},
                                      {"9223372036854775807", list("d")}}));
    const Tiers tiers = tiers_of(read_priority(settings.view())).value();
    std::vector<std::int64_t> order;
    for (const auto& [priority, patterns] : tiers) order.push_back(priority);
    EXPECT_THAT(order, ElementsAre(INT64_MAX, 20, 10, INT64_MIN));
    EXPECT_EQ(tiers.at(10).size(), 2u);
    EXPECT_EQ(tiers.at(10).front().written(), "b");
}

TEST(PriorityConfig, RefusesEachMistakeWhereItIs) {
    FakeSettings settings(priority_schema());
    settings.set("priorities",
                 table({{"high", list("a")}, {"5", list("ok", "(", "[z-a]")}, {"+5", list("b")}}));
    check_priority(settings.view());
    ASSERT_EQ(settings.rejections().size(), 4u);
    EXPECT_EQ(settings.rejections()[0],
              (Rejection{"priorities.high", "priority \"high\": not a whole number of 64 bits"}));
    EXPECT_EQ(settings.rejections()[1],
              (Rejection{"priorities.5", "regular expression \"(\": missing ): ("}));
    EXPECT_THAT(settings.rejections()[2].why, HasSubstr("\"[z-a]\""));
    EXPECT_EQ(settings.rejections()[3],
              (Rejection{"priorities.+5", "priority 5 stands here twice"}));
}

TEST(PriorityConfig, RefusesPrioritiesThatNameNone) {
    FakeSettings table_settings(priority_schema());
    table_settings.set("priorities", table({}));
    check_priority(table_settings.view());
    EXPECT_THAT(table_settings.rejections(),
                ElementsAre(Rejection{"priorities", "names no priority"}));

    FakeSettings yaml_settings(priority_schema());
    yaml_settings.set("yaml", "");
    check_priority(yaml_settings.view());
    EXPECT_THAT(yaml_settings.rejections(),
                ElementsAre(Rejection{"yaml", "the document is empty"}));
}

TEST(PriorityConfig, ReadsUpstreamsYaml) {
    FakeSettings settings(priority_schema());
    settings.set("yaml", "10:\n  - .*t2\\.large.*\n50:\n  - .*m4\\.4xlarge.*\n");
    const Tiers tiers = tiers_of(read_priority(settings.view())).value();
    EXPECT_TRUE(tiers.at(50).front().matches("asg-m4.4xlarge-1"));
    EXPECT_FALSE(tiers.at(10).front().matches("asg-t2-large"));
}

TEST(PriorityConfig, RefusesTwoSourcesAtOnce) {
    FakeSettings settings(priority_schema());
    settings.set("yaml", "10: [a]").set("priorities", table({{"10", list("a")}}));
    check_priority(settings.view());
    EXPECT_THAT(settings.rejections(),
                ElementsAre(Rejection{"yaml", "priorities is set too; one of them has to go"}));
    EXPECT_EQ(tiers_of(read_priority(settings.view())).error().message,
              "yaml: priorities is set too; one of them has to go");
}

}  // namespace
}  // namespace capstan::expanders
