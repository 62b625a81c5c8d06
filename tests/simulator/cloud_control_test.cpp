#include "simulator/cloud_control.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "config/text.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

config::TomlValue toml(const std::string& text) { return config::parse_toml_value(text).value(); }

constexpr const char* web_group =
    R"({ groups = [{ id = "web", size = 2, machine = { cpu = "4", memory = "8Gi" } }] })";

/// The settings of the cloud after a change of its group web.
std::string after_change(const std::string& change, Duration at = 90s) {
    config::TomlValue settings = toml(web_group);
    EXPECT_TRUE(add_change(settings, {.group = "web", .change = toml(change)}, at));
    return config::to_toml(settings);
}

TEST(CloudChanges, ReplaceSettingsOfTheGroupAtOnce) {
    EXPECT_EQ(after_change(R"({ boot = "2m", machine = { cpu = "8" } })"),
              R"({ groups = [{ id = "web", size = 2, machine = { cpu = "8", memory = "8Gi" }, )"
              R"(boot = "2m" }] })");
}

TEST(CloudChanges, DropTheSizeAtTheStartWithNewBounds) {
    EXPECT_EQ(after_change("{ max = 9 }"),
              R"({ groups = [{ id = "web", machine = { cpu = "4", memory = "8Gi" }, max = 9 }] })");
    EXPECT_EQ(after_change("{ min = 3 }"),
              R"({ groups = [{ id = "web", machine = { cpu = "4", memory = "8Gi" }, min = 3 }] })");
}

TEST(CloudChanges, OfOtherKeysComeAtTheirTime) {
    EXPECT_EQ(after_change(R"({ capacity = 0, spot = true, lose = 1 })"),
              R"({ groups = [{ id = "web", size = 2, machine = { cpu = "4", memory = "8Gi" }, )"
              R"(spot = true, changes = [{ capacity = 0, lose = 1, at = "1m30s" }] }] })");
}

TEST(CloudChanges, FollowEachOther) {
    config::TomlValue settings = toml(R"({ groups = [{ id = "web" }] })");
    for (const auto& [change, at] : {std::pair("{ capacity = 0 }", Duration(1min)),
                                     std::pair("{ unlimited = true }", Duration(5min))})
        EXPECT_TRUE(add_change(settings, {.group = "web", .change = toml(change)}, at));
    EXPECT_EQ(config::to_toml(settings),
              R"({ groups = [{ id = "web", changes = [{ capacity = 0, at = "1m" }, )"
              R"({ unlimited = true, at = "5m" }] }] })");
}

TEST(CloudChanges, OfNothingChangeNothing) { EXPECT_EQ(after_change("{}"), web_group); }

TEST(CloudChanges, OfAnUnknownGroupFail) {
    for (const char* const text : {web_group, "{}", "{ groups = [] }"}) {
        config::TomlValue settings = toml(text);
        const Result<void> changed =
            add_change(settings, {.group = "db", .change = toml("{ max = 9 }")}, 0s);
        ASSERT_FALSE(changed) << text;
        EXPECT_EQ(changed.error(), (Error{ErrorCode::not_found, "no group 'db'"}));
        EXPECT_EQ(remove_group(settings, "db").error(),
                  (Error{ErrorCode::not_found, "no group 'db'"}));
        EXPECT_EQ(config::to_toml(settings), text) << "nothing has changed";
    }
}

TEST(CloudGroups, AreAddedAtTheEndAndRemovedById) {
    config::TomlValue settings = toml("{}");
    EXPECT_EQ(find_group(settings, "web"), nullptr);
    for (const char* const group : {R"({ id = "web" })", R"({ id = "db", size = 1 })"})
        add_group(settings, toml(group));
    EXPECT_EQ(config::to_toml(settings),
              R"({ groups = [{ id = "web" }, { id = "db", size = 1 }] })");
    ASSERT_NE(find_group(settings, "db"), nullptr);
    EXPECT_TRUE(remove_group(settings, "web"));
    EXPECT_EQ(config::to_toml(settings), R"({ groups = [{ id = "db", size = 1 }] })");
    EXPECT_TRUE(remove_group(settings, "db"));
    EXPECT_EQ(config::to_toml(settings), "{ groups = [] }");
    EXPECT_FALSE(remove_group(settings, "db")) << "a second time";
}

}  // namespace
}  // namespace capstan::simulator
