#include "plugin_runtime/services/logger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/utf8.hpp>

#include "io/known_secrets.hpp"
#include "io/printable.hpp"

namespace capstan::plugin_runtime::services {
namespace {

struct TestLog {
    explicit TestLog(const config::Log& config)
        : logger(config, std::make_shared<io::ManualClock>(time_from_unix_ns(1'123'456'789)),
                 [this](std::string_view line) { lines.emplace_back(line); }) {}
    std::vector<std::string> lines;
    Logger logger;
};

TEST(Logger, WritesTextLines) {
    TestLog log({});
    log.logger.write(config::LogLevel::warn, "aws", "refresh took 61 s",
                     {{"group", "web-b"}, {"why", "too many groups"}});
    EXPECT_THAT(log.lines, testing::ElementsAre("1970-01-01T00:00:01.123Z warn  aws: refresh took "
                                                "61 s group=web-b why=\"too many groups\""));
}

TEST(Logger, WritesJsonLines) {
    TestLog log({.format = config::LogFormat::json, .per_plugin = {}});
    log.logger.write(config::LogLevel::info, "aws", "said \"hi\"", {{"group", "web\\b"}});
    EXPECT_THAT(
        log.lines,
        testing::ElementsAre(
            R"({"time":"1970-01-01T00:00:01.123Z","level":"info","source":"aws","message":"said \"hi\"","group":"web\\b"})"));
}

TEST(Logger, RedactsSecrets) {
    TestLog log({});
    io::known_secrets().add("correct-horse-battery");
    log.logger.write(config::LogLevel::warn, "aws", "sent correct-horse-battery to it",
                     {{"header", "Bearer correct-horse-battery"}});
    EXPECT_THAT(log.lines, testing::ElementsAre("1970-01-01T00:00:01.123Z warn  aws: sent "
                                                "[redacted] to it header=\"Bearer [redacted]\""));
}

TEST(Logger, SupportsALevelPerPlugin) {
    TestLog log(
        {.level = config::LogLevel::warn, .per_plugin = {{"aws", config::LogLevel::debug}}});
    EXPECT_TRUE(log.logger.is_kept(config::LogLevel::debug, "aws"));
    EXPECT_FALSE(log.logger.is_kept(config::LogLevel::info, "gce"));
    log.logger.write(config::LogLevel::info, "gce", "dropped");
    EXPECT_TRUE(log.lines.empty());
}

TEST(Logger, WritesOneLineWithoutControlCharacters) {
    TestLog log({});
    log.logger.write(config::LogLevel::info, "a\nb", "one\ntwo\r\x1b[2J\x7f\xc2\x9b",
                     {{"k\n", "v\n"}});
    EXPECT_THAT(log.lines[0],
                testing::HasSubstr("a\\nb: one\\ntwo\\r\\x1b[2J\\x7f\\x9b k\\n=\"v\\\\n\""));
}

TEST(Logger, LimitsALineToEightKibibytes) {
    TestLog log({});
    log.logger.write(config::LogLevel::info, "a", std::string(100'000, 'x'),
                     {{"more", std::string(100'000, 'y')}});
    EXPECT_LT(log.lines[0].size(), 8300u);
    log.logger.write(config::LogLevel::info, "a", "short", {{"more", std::string(100'000, 'y')}});
    EXPECT_LT(log.lines[1].size(), 8300u);
}

TEST(Printable, ReplacesInvalidUtf8) {
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(io::printable("a\xff"
                            "b",
                            100),
              "a" + mark + "b");
    EXPECT_EQ(io::printable("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 100),
              "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(io::printable("\xc0\xaf", 100), mark + mark) << "overlong";
    EXPECT_EQ(io::printable("\xed\xa0\x80", 100), mark + mark + mark) << "surrogate";
    EXPECT_EQ(io::printable("\xf4\x90\x80\x80", 100), mark + mark + mark + mark)
        << "past the last code point";
    EXPECT_EQ(io::printable("\xe2\x82", 100), mark + mark) << "ends too early";
}

TEST(Printable, EndsAtACharacterBoundary) {
    EXPECT_EQ(io::printable("\xc3\xa4\xc3\xa4", 3), "\xc3\xa4...");
    EXPECT_EQ(io::printable("abc", 3), "abc");
    EXPECT_EQ(beginning_of("\x80\x80\x80\x80\x80\x80", 5).size(), 5u)
        << "without character boundaries";
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
