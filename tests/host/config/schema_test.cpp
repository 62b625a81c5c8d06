#include "config/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/settings.hpp>

namespace capstan::config {
namespace {

using ::testing::HasSubstr;

Result<Fields> read(const Schema& schema) {
    return read_schema(capstan::detail::AbiSchema(schema).fields());
}

std::string schema_refusal(const Schema& schema) {
    const auto fields = read(schema);
    return fields ? "" : fields.error().message;
}

TEST(PluginSchema, IsCopiedCompletely) {
    const auto fields = read({{.key = "k8s.io/mode",
                               .type = SettingType::enumeration,
                               .doc = "How.",
                               .default_value = "\"a\"",
                               .live = true,
                               .deprecated = true,
                               .allowed = {"a", "b"},
                               .replaced_by = "other"},
                              {.key = "shares",
                               .type = SettingType::number,
                               .required = true,
                               .map = true,
                               .min = 0,
                               .max = 1}});
    ASSERT_TRUE(fields) << fields.error();
    const Field& mode = fields->at(0);
    EXPECT_EQ(mode.key, "k8s.io/mode");
    EXPECT_EQ(mode.doc, "How.");
    EXPECT_EQ(mode.allowed, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(mode.default_toml, "\"a\"");
    EXPECT_EQ(mode.replaced_by, "other");
    EXPECT_TRUE(mode.live && mode.deprecated && !mode.required && !mode.list);
    EXPECT_FALSE(mode.min || mode.max);
    const Field& shares = fields->at(1);
    EXPECT_TRUE(shares.required && shares.map);
    EXPECT_EQ(shares.min, 0);
    EXPECT_EQ(shares.max, 1);
}

TEST(PluginSchema, SupportsMapsOfLists) {
    const auto fields = read({{.key = "priorities",
                               .type = SettingType::regex,
                               .default_value = "{ 10 = ['.*'] }",
                               .list = true,
                               .map = true}});
    ASSERT_TRUE(fields) << fields.error();
    EXPECT_TRUE(fields->at(0).list && fields->at(0).map);
}

TEST(PluginSchema, OutlivesThePluginsDescriptors) {
    Fields fields;
    {
        std::string key = "a_key_that_is_longer_than_any_small_string";
        fields = *read({{.key = key}});
        key.assign(key.size(), 'x');
    }
    EXPECT_EQ(fields.at(0).key, "a_key_that_is_longer_than_any_small_string");
}

TEST(PluginSchema, SupportsOneSidedBounds) {
    const auto fields = read({{.key = "a", .type = SettingType::integer, .min = 0},
                              {.key = "b", .type = SettingType::integer, .max = 0},
                              {.key = "c", .type = SettingType::integer}});
    EXPECT_EQ(fields->at(0).min, 0);
    EXPECT_FALSE(fields->at(0).max);
    EXPECT_FALSE(fields->at(1).min);
    EXPECT_EQ(fields->at(1).max, 0);
    EXPECT_FALSE(fields->at(2).min || fields->at(2).max);
}

TEST(PluginSchema, SupportsBoundsOfDurations) {
    const auto fields = read({{.key = "poll",
                               .type = SettingType::duration,
                               .min = std::chrono::milliseconds(10),
                               .max = std::chrono::hours(1)}});
    ASSERT_TRUE(fields) << fields.error();
    EXPECT_EQ(fields->at(0).min, 10e6);
    EXPECT_EQ(describe_type(fields->at(0)), "duration 10ms..1h");
}

TEST(PluginSchema, RefusesADefaultThatDoesNotParse) {
    EXPECT_THAT(
        schema_refusal(
            {{.key = "w", .type = SettingType::number, .default_value = "[1", .list = true}}),
        HasSubstr("settings.w: default [1: Error while parsing array"));
    EXPECT_EQ(schema_refusal({{.key = "w", .default_value = "1\nother = 2"}}),
              "settings.w: default 1?other = 2: more than one value");
}

TEST(PluginSchema, RefusesADefaultOutOfBounds) {
    EXPECT_EQ(
        schema_refusal(
            {{.key = "w", .type = SettingType::number, .default_value = "2", .min = 0, .max = 1}}),
        "settings.w: default 2: expected number 0..1, found integer 2");
    EXPECT_EQ(schema_refusal(
                  {{.key = "d", .type = SettingType::duration, .default_value = "\"5 minutes\""}}),
              "settings.d: default \"5 minutes\": duration \"5 minutes\": missing or unknown unit, "
              "expected ns, us, ms, s, m, h or d");
}

TEST(PluginSchema, NamesANestedField) {
    const Schema inner{{.key = "x.y", .type = SettingType::regex, .default_value = "\"(\""}};
    EXPECT_THAT(
        schema_refusal({{.key = "outer", .type = SettingType::table, .fields = inner}}),
        HasSubstr("settings.outer.\"x.y\": default \"(\": \"(\" is not a regular expression"));
}

TEST(PluginSchema, RefusesMalformedDescriptors) {
    capstan_field field{};
    field.struct_size = sizeof field;
    field.type = CAPSTAN_TYPE_STRING;
    field.key = str("a");
    const auto refused = [](capstan_field f, std::uint32_t stride) {
        return !read_schema({&f, 1, stride});
    };
    EXPECT_FALSE(refused(field, sizeof field));
    EXPECT_TRUE(refused(field, 8));
    EXPECT_TRUE(read_schema({nullptr, 0, 0}));
    EXPECT_FALSE(read_schema({nullptr, 3, sizeof field}));
    field.type = 99;
    EXPECT_TRUE(refused(field, sizeof field));
}

TEST(DescribeType, NamesTypeAndBounds) {
    EXPECT_EQ(describe_type({.type = SettingType::integer, .min = 1, .max = 1000}),
              "integer 1..1000");
    EXPECT_EQ(describe_type({.type = SettingType::integer, .min = 0, .max = 2147483647}),
              "integer of at least 0");
    EXPECT_EQ(describe_type({.type = SettingType::duration, .max = 3.6e12}),
              "duration of at most 1h");
    EXPECT_EQ(
        describe_type({.type = SettingType::enumeration, .list = true, .allowed = {"a", "b"}}),
        "list of one of \"a\", \"b\"");
    EXPECT_EQ(describe_type({.type = SettingType::regex, .list = true, .map = true}),
              "map of list of regular expression");
    EXPECT_EQ(describe_type({.type = SettingType::instance, .instance_kind = "capstan.cloud/1"}),
              "plugin instance (capstan.cloud/1)");
}

}  // namespace
}  // namespace capstan::config
