#include "autoscaler/daemon/config_watch.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

struct ConfigStatusTest : ::testing::Test {
    std::vector<std::string> changes;
    ConfigStatusKeeper keeper{[this](bool is_in_force, Time taken_over) {
        changes.push_back((is_in_force ? "in force since " : "not in force; runs since ") +
                          std::to_string(taken_over.time_since_epoch() / 1s));
    }};
    std::string because() const { return keeper.status().because(); }
    static Time at(int seconds) { return Time(std::chrono::seconds(seconds)); }
};

TEST_F(ConfigStatusTest, IsInForceAfterTheStart) {
    keeper.take_over("a = 1\n", {}, at(5));
    EXPECT_TRUE(keeper.status().is_in_force());
    EXPECT_EQ(keeper.status().hash.substr(0, 8), "cb78bd8a");
    EXPECT_THAT(changes, ElementsAre("in force since 5"));
}

TEST_F(ConfigStatusTest, ReportsErrorsUntilTheFileIsCorrected) {
    keeper.take_over("a = 1\n", {}, at(5));
    keeper.refuse("c.toml:1:1: unknown key\nc.toml:2:1: another\n", at(10));
    keeper.refuse("c.toml:2:1: another\n", at(20));
    EXPECT_EQ(because(), "file has errors: c.toml:2:1: another");
    EXPECT_EQ(keeper.status().since, at(10));
    keeper.confirm({}, at(30));
    EXPECT_TRUE(keeper.status().is_in_force());
    EXPECT_EQ(keeper.status().taken_over, at(5));
    EXPECT_THAT(changes, ElementsAre("in force since 5", "not in force; runs since 5",
                                     "not in force; runs since 5", "in force since 5"));
}

TEST_F(ConfigStatusTest, IsNotInForceWhileSettingsNeedARestart) {
    keeper.take_over("a = 1\n", {}, at(5));
    keeper.take_over("a = 2\n", {"log.level", "admin.listen"}, at(10));
    EXPECT_EQ(because(), "changed settings that need a restart: log.level, admin.listen");
    keeper.take_over("a = 3\n", {}, at(20));
    EXPECT_TRUE(keeper.status().is_in_force());
    EXPECT_EQ(keeper.status().taken_over, at(20));
}

TEST_F(ConfigStatusTest, IsRestoredWhenAMissingFileReturns) {
    keeper.take_over("a = 1\n", {"log.level"}, at(5));
    keeper.set_gone(true, at(10));
    EXPECT_EQ(because(), "file missing or empty; changed settings that need a restart: log.level");
    keeper.set_gone(false, at(20));
    EXPECT_EQ(because(), "changed settings that need a restart: log.level");
    EXPECT_EQ(keeper.status().since, at(5));
}

TEST_F(ConfigStatusTest, ReportsThatTheFileWasNotReloaded) {
    keeper.take_over("a = 1\n", {}, at(5));
    keeper.leave_unread(at(10));
    EXPECT_EQ(because(), "file has changed; send SIGHUP to reload it");
    keeper.take_over("a = 2\n", {}, at(20));
    EXPECT_TRUE(keeper.status().is_in_force());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
