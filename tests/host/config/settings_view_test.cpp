#include "config/settings_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/abi/error.h>
#include <capstan/settings.hpp>

namespace capstan::config {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// The view of a plugin with this schema and these settings.
class SettingsViewTest : public ::testing::Test {
protected:
    SettingsViewTest()
        : diagnostics_({"t.toml",
                        "[plugin.x.settings]\n"
                        "weights = { memory = 0.5, cpu = 2, \"k8s.io/x\" = 1.5 }\n"
                        "names = [\"b\", \"a\"]\n"
                        "poll = \"1m30s\"\n"
                        "room = \"1500m\"\n"
                        "on = true\n"
                        "[[plugin.x.settings.group]]\n"
                        "match = \"^a\"\n"}),
          settings_(validate()),
          view_(settings_, "plugin.x.settings", &diagnostics_),
          abi_(view_.abi()) {}

    SettingValue validate() {
        const Fields fields{
            {.key = "weights", .type = SettingType::number, .map = true},
            {.key = "names", .list = true},
            {.key = "poll", .type = SettingType::duration},
            {.key = "room", .type = SettingType::quantity},
            {.key = "on", .type = SettingType::boolean},
            {.key = "group",
             .type = SettingType::table,
             .list = true,
             .fields = {{.key = "match", .type = SettingType::regex}}},
            {.key = "tolerance", .type = SettingType::number, .default_toml = "0.05"},
            {.key = "unset"}};
        const auto root = parse_toml(diagnostics_);
        const TomlValue& table = *root->find("plugin")->find("x")->find("settings");
        return validate_settings(table, fields, "plugin.x.settings", diagnostics_);
    }
    capstan_cursor at(const char* key) const {
        return abi_->member(abi_, CAPSTAN_CURSOR_ROOT, str(key));
    }

    Diagnostics diagnostics_;
    SettingValue settings_;
    SettingsView view_;
    const capstan_settings* abi_;
};

TEST_F(SettingsViewTest, ReadsThroughTheSdk) {
    const Settings settings(*abi_);
    EXPECT_THAT(settings.number_map("weights"),
                ElementsAre(Pair("memory", 0.5), Pair("cpu", 2.0), Pair("k8s.io/x", 1.5)));
    EXPECT_THAT(settings.texts("names"), ElementsAre("b", "a"));
    EXPECT_EQ(settings.duration("poll"), std::chrono::seconds(90));
    EXPECT_EQ(settings.text("poll"), "1m30s");
    EXPECT_EQ(settings.integer("room"), 2);
    EXPECT_TRUE(settings.boolean("on"));
    EXPECT_EQ(settings.tables("group").at(0).text("match"), "^a");
    EXPECT_EQ(settings.number("tolerance"), 0.05);
    EXPECT_FALSE(settings.has("unset"));
    EXPECT_FALSE(settings.has("no such key"));
}

TEST_F(SettingsViewTest, ListsMembersOfTheFileThenDefaults) {
    std::vector<std::string> keys;
    for (std::uint32_t i = 0; i < abi_->size(abi_, CAPSTAN_CURSOR_ROOT); ++i) {
        capstan_str key{};
        EXPECT_NE(abi_->item(abi_, CAPSTAN_CURSOR_ROOT, i, &key), CAPSTAN_CURSOR_NONE);
        keys.emplace_back(text(key));
    }
    EXPECT_THAT(keys, ElementsAre("weights", "names", "poll", "room", "on", "group", "tolerance"));
    EXPECT_EQ(abi_->item(abi_, CAPSTAN_CURSOR_ROOT, 7, nullptr), CAPSTAN_CURSOR_NONE);
}

TEST_F(SettingsViewTest, RefusesTheWrongTypeAndKeepsTheOutput) {
    capstan_str text_out = str("before");
    std::int64_t integer = 7;
    double number = 7;
    EXPECT_EQ(abi_->get_text(abi_, at("on"), &text_out), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(abi_->get_text(abi_, at("names"), &text_out), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(abi_->get_integer(abi_, at("tolerance"), &integer), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(abi_->get_float(abi_, at("poll"), &number), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(abi_->get_text(abi_, CAPSTAN_CURSOR_NONE, &text_out), CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(abi_->get_integer(abi_, at("poll"), nullptr), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(text(text_out), "before");
    EXPECT_EQ(integer, 7);
    EXPECT_EQ(number, 7);
}

TEST_F(SettingsViewTest, AcceptsAnyCursorAndKey) {
    for (const capstan_cursor cursor : {0u, 1000u, 0xffffffffu}) {
        std::int32_t out = 0;
        EXPECT_EQ(abi_->member(abi_, cursor, str("on")), CAPSTAN_CURSOR_NONE);
        EXPECT_EQ(abi_->size(abi_, cursor), 0u);
        EXPECT_EQ(abi_->item(abi_, cursor, 0, nullptr), CAPSTAN_CURSOR_NONE);
        EXPECT_EQ(abi_->get_boolean(abi_, cursor, &out), CAPSTAN_E_NOT_FOUND);
    }
    EXPECT_EQ(abi_->member(abi_, at("names"), str("b")), CAPSTAN_CURSOR_NONE);
    EXPECT_EQ(abi_->member(abi_, CAPSTAN_CURSOR_ROOT, {nullptr, 5}), CAPSTAN_CURSOR_NONE);
}

TEST_F(SettingsViewTest, ReportsARejectionAtThePositionOfTheValue) {
    const Settings settings(*abi_);
    settings.reject("names", 1, "\"a\" is taken");
    settings.tables("group").at(0).reject("match", "matches nothing");
    settings.reject("tolerance", "too small");
    EXPECT_EQ(diagnostics_.text(),
              "t.toml:1:1: plugin.x.settings.tolerance: too small\n"
              "    [plugin.x.settings]\n"
              "    ^^^^^^^^^^^^^^^^^^^\n"
              "t.toml:3:15: plugin.x.settings.names[1]: \"a\" is taken\n"
              "    names = [\"b\", \"a\"]\n"
              "                  ^^^\n"
              "t.toml:8:9: plugin.x.settings.group[0].match: matches nothing\n"
              "    match = \"^a\"\n"
              "            ^^^^\n");
    EXPECT_EQ(view_.rejections(), 3u);
}

TEST_F(SettingsViewTest, RecordsAtMostFiftyRejections) {
    for (int i = 0; i < 1000; ++i) abi_->reject(abi_, 0xffffffffu, str("\x1b[2J no"));
    EXPECT_EQ(view_.rejections(), 1000u);
    EXPECT_EQ(diagnostics_.errors(), 50u);
    EXPECT_EQ(diagnostics_.sorted().front().message, "plugin.x.settings: ?[2J no");
}

}  // namespace
}  // namespace capstan::config
