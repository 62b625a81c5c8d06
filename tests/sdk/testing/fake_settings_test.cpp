#include <capstan/testing/fake_settings.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using capstan::Schema;
using capstan::Setting;
using capstan::SettingType;
using capstan::testing::FakeSettings;
using capstan::testing::list;
using capstan::testing::read_default;
using capstan::testing::table;
using capstan::testing::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Why a value is rejected, or nothing.
std::string complaint(const Setting& setting, Value value) {
    FakeSettings settings(Schema{setting});
    settings.set(std::string(setting.key), std::move(value));
    try {
        settings.raw();
        return {};
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
}

TEST(FakeSettings, AcceptsAnythingWithoutASchema) {
    FakeSettings settings;
    settings.set("wait", 90s)
        .set("size", "2Ki")
        .set("zones", list("a", "b"))
        .set("on", true)
        .set("wait", 2min);
    EXPECT_EQ(settings.view().duration("wait"), 2min);
    EXPECT_EQ(settings.view().integer("size"), 2048);
    EXPECT_THAT(settings.view().texts("zones"), ElementsAre("a", "b"));
    EXPECT_TRUE(settings.view().boolean("on"));
}

TEST(FakeSettings, RejectsValuesThatDoNotFitTheSchema) {
    EXPECT_EQ(complaint({.key = "n", .type = SettingType::integer}, "3"),
              "setting n: expected integer, found string \"3\"");
    EXPECT_EQ(complaint({.key = "n", .type = SettingType::integer, .min = 1, .max = 5}, 6),
              "setting n: expected integer 1..5, found integer 6");
    EXPECT_EQ(complaint({.key = "n", .type = SettingType::number, .min = 0, .max = 1}, 1), "");
    EXPECT_EQ(complaint({.key = "n", .type = SettingType::integer, .min = 0}, -1),
              "setting n: expected integer of at least 0, found integer -1");
    EXPECT_EQ(complaint({.key = "n", .type = SettingType::integer, .min = 0}, 7), "");
    EXPECT_EQ(
        complaint({.key = "d", .type = SettingType::duration, .max = 10s}, "11s"),
        "setting d: expected duration such as \"90s\" or \"1h30m\" of at most 10s, found string "
        "\"11s\"");
    EXPECT_EQ(complaint({.key = "m", .type = SettingType::enumeration, .allowed = {"a", "b"}}, "c"),
              "setting m: expected one of \"a\", \"b\", found string \"c\"");
    EXPECT_THAT(complaint({.key = "r", .type = SettingType::regex}, "("),
                HasSubstr("is not a regular expression"));
    EXPECT_THAT(complaint({.key = "d", .type = SettingType::duration}, "soon"),
                HasSubstr("setting d"));
    EXPECT_THAT(complaint({.key = "q", .type = SettingType::quantity}, "1Zi"),
                HasSubstr("setting q"));
    EXPECT_EQ(complaint({.key = "l", .list = true}, "a"),
              "setting l: expected a list, found string \"a\"");
    EXPECT_EQ(complaint({.key = "l", .list = true}, list("a", 1)),
              "setting l[1]: expected string, found integer 1");
}

TEST(FakeSettings, RejectsUnknownAndMissingKeys) {
    FakeSettings unknown(Schema{{.key = "zone"}});
    unknown.set("zoen", "a");
    EXPECT_THROW(unknown.raw(), std::invalid_argument);
    FakeSettings missing(Schema{{.key = "zone", .required = true}});
    EXPECT_THROW(missing.raw(), std::invalid_argument);
}

TEST(FakeSettings, FillsAnAbsentTableWithDefaults) {
    FakeSettings settings(
        Schema{{.key = "retry",
                .type = SettingType::table,
                .fields = {{.key = "times", .type = SettingType::integer, .default_value = "3"}}}});
    EXPECT_EQ(settings.view().table("retry").integer("times"), 3);
}

TEST(FakeSettings, ChecksADefaultAgainstItsSchema) {
    const capstan::detail::AbiSchema schema(Schema{
        {.key = "good", .type = SettingType::duration, .default_value = "\"5m\""},
        {.key = "high", .type = SettingType::integer, .default_value = "9", .min = 0, .max = 5},
        {.key = "odd", .default_value = "nonsense"},
        {.key = "none"},
    });
    const capstan::View<capstan_field> fields(schema.fields());
    EXPECT_EQ(read_default(fields[0]).value(), Value("5m"));
    EXPECT_THAT(read_default(fields[1]).error().message,
                HasSubstr("expected integer 0..5, found integer 9"));
    EXPECT_FALSE(read_default(fields[2]));
    EXPECT_EQ(read_default(fields[3]).error().code, capstan::ErrorCode::not_found);
}

}  // namespace
