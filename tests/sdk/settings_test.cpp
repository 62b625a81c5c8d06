#include <capstan/settings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_settings.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Failure;
using capstan::Schema;
using capstan::Settings;
using capstan::SettingType;
using capstan::testing::FakeSettings;
using capstan::testing::list;
using capstan::testing::Rejection;
using capstan::testing::table;
using ::testing::ElementsAre;
using ::testing::Pair;

const Schema schema{
    {.key = "zone", .doc = "Where.", .default_value = "\"a\""},
    {.key = "wait",
     .type = SettingType::duration,
     .doc = "How long.",
     .default_value = "\"1m30s\"",
     .live = true},
    {.key = "share",
     .type = SettingType::number,
     .doc = "Of all.",
     .default_value = "0.5",
     .min = 0,
     .max = 1},
    {.key = "weights",
     .type = SettingType::number,
     .doc = "By resource.",
     .default_value = "{}",
     .map = true},
    {.key = "mode",
     .type = SettingType::enumeration,
     .doc = "How.",
     .default_value = "\"fast\"",
     .allowed = {"fast", "safe"}},
    {.key = "token", .type = SettingType::secret, .doc = "Who."},
    {.key = "tiers",
     .type = SettingType::table,
     .doc = "In order.",
     .list = true,
     .fields = {{.key = "priority",
                 .type = SettingType::integer,
                 .doc = "Higher wins.",
                 .required = true},
                {.key = "k8s.io/match", .doc = "A regex.", .list = true}}},
};

TEST(PluginSettings, ReadsValuesAndDefaults) {
    FakeSettings fake(schema);
    fake.set("zone", "b")
        .set("weights", table({{"cpu", 2}, {"memory", 0.5}}))
        .set("token", table({{"secret", "acme"}}));
    const Settings settings = fake.view();
    EXPECT_EQ(settings.text("zone"), "b");
    EXPECT_EQ(settings.duration("wait"), 90s);
    EXPECT_EQ(settings.text("wait"), "1m30s");
    EXPECT_EQ(settings.number("share"), 0.5);
    EXPECT_EQ(settings.text("mode"), "fast");
    EXPECT_EQ(settings.text("token"), "acme");
    EXPECT_THAT(settings.number_map("weights"), ElementsAre(Pair("cpu", 2), Pair("memory", 0.5)));
    EXPECT_FALSE(settings.has("tiers"));
    EXPECT_TRUE(settings.tables("tiers").empty());
}

TEST(PluginSettings, ReadsTablesWithDotsAndSlashesInKeys) {
    FakeSettings fake(schema);
    fake.set("tiers", list(table({{"priority", 10}, {"k8s.io/match", list("web-.*", "api")}}),
                           table({{"priority", -1}})));
    const auto tiers = fake.view().tables("tiers");
    ASSERT_EQ(tiers.size(), 2u);
    EXPECT_EQ(tiers[0].integer("priority"), 10);
    EXPECT_THAT(tiers[0].texts("k8s.io/match"), ElementsAre("web-.*", "api"));
    EXPECT_EQ(tiers[1].integer("priority"), -1);
    EXPECT_TRUE(tiers[1].texts("k8s.io/match").empty());
}

TEST(PluginSettings, ThrowsForUnknownKeysAndOtherTypes) {
    FakeSettings fake(schema);
    const Settings settings = fake.view();
    EXPECT_THROW(settings.text("zoen"), Failure);
    EXPECT_THROW(settings.integer("zone"), Failure);
    EXPECT_THROW(settings.boolean("share"), Failure);
    EXPECT_THROW(settings.text("tiers"), Failure);
}

TEST(PluginSettings, TreatsAMissingTableAsEmpty) {
    FakeSettings fake;
    const Settings absent = fake.view().table("a").table("b");
    EXPECT_FALSE(absent.has("c"));
    EXPECT_TRUE(absent.texts("c").empty());
    EXPECT_TRUE(absent.text_map("c").empty());
}

TEST(PluginSettings, RejectsAKeyAnItemOrEverything) {
    FakeSettings fake(schema);
    fake.set("tiers", list(table({{"priority", 1}}), table({{"priority", 1}})));
    const Settings settings = fake.view();
    settings.reject("zone", "is closed");
    settings.reject("tiers", 1, "has the priority of another one");
    settings.tables("tiers")[0].reject("priority", "is too low");
    settings.reject("nothing", "something is missing");
    EXPECT_THAT(fake.rejections(),
                ElementsAre(Rejection{"zone", "is closed"},
                            Rejection{"tiers[1]", "has the priority of another one"},
                            Rejection{"tiers[0].priority", "is too low"},
                            Rejection{"", "something is missing"}));
}

TEST(Schema, CrossesTheAbiCompletely) {
    const capstan::detail::AbiSchema crossing(schema);
    const capstan::View<capstan_field> fields(crossing.fields());
    ASSERT_EQ(fields.size(), schema.size());
    const capstan_field& share = fields[2];
    EXPECT_EQ(share.struct_size, sizeof(capstan_field));
    EXPECT_EQ(capstan::text(share.key), "share");
    EXPECT_EQ(capstan::text(share.doc), "Of all.");
    EXPECT_EQ(capstan::text(share.default_value), "0.5");
    EXPECT_EQ(share.type, CAPSTAN_TYPE_FLOAT);
    EXPECT_EQ(share.flags, std::uint32_t{CAPSTAN_FIELD_MIN} | CAPSTAN_FIELD_MAX);
    EXPECT_EQ(share.min, 0);
    EXPECT_EQ(share.max, 1);
    EXPECT_EQ(fields[1].flags, static_cast<std::uint32_t>(CAPSTAN_FIELD_LIVE));
    EXPECT_EQ(fields[3].flags, static_cast<std::uint32_t>(CAPSTAN_FIELD_MAP));
    EXPECT_EQ(capstan::View<capstan_str>(fields[4].allowed).size(), 2u);
}

TEST(Schema, CrossesTheAbiWithOnlyTheBoundsThatAreSet) {
    const capstan::detail::AbiSchema crossing(
        Schema{{.key = "n", .type = SettingType::integer, .min = 0},
               {.key = "poll", .type = SettingType::duration, .max = 10ms},
               {.key = "free", .type = SettingType::number}});
    const capstan::View<capstan_field> fields(crossing.fields());
    EXPECT_EQ(fields[0].flags, std::uint32_t{CAPSTAN_FIELD_MIN});
    EXPECT_EQ(fields[1].flags, std::uint32_t{CAPSTAN_FIELD_MAX});
    EXPECT_EQ(fields[1].max, 10e6);
    EXPECT_EQ(fields[2].flags, 0u);
}

TEST(Schema, CrossesTheAbiWithMembersOfTables) {
    const capstan::detail::AbiSchema crossing(schema);
    const capstan_field& tiers = capstan::View<capstan_field>(crossing.fields())[6];
    EXPECT_EQ(tiers.flags, static_cast<std::uint32_t>(CAPSTAN_FIELD_LIST));
    const capstan::View<capstan_field> members(tiers.fields);
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].flags, static_cast<std::uint32_t>(CAPSTAN_FIELD_REQUIRED));
    EXPECT_EQ(capstan::text(members[1].key), "k8s.io/match");
}

}  // namespace
