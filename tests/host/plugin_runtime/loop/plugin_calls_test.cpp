#include "plugin_runtime/loop/plugin_calls.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

namespace capstan::plugin_runtime::instances {
namespace {

using testing::ElementsAre;

using Function = int (*)(int) noexcept;

/// A function that is not noexcept, stored as in the table of a plugin.
Function as_table_entry(int (*function)(int)) {
    Function out{};
    std::memcpy(&out, &function, sizeof out);
    return out;
}

int doubles(int number) { return 2 * number; }
int throws(int /*number*/) { throw std::runtime_error("through C"); }
int throws_a_number(int number) { throw number; }
int forks(int /*number*/) { return ::fork(); }

struct PluginCallsTest : testing::Test {
    std::vector<std::string> reports;
    loop::PluginCalls calls{
        std::make_shared<loop::CallMarkers>(),
        [this](loop::Hook, const std::string& what) { reports.push_back(what); }};

    Result<int> call(int (*function)(int)) {
        const Function boundary = as_table_entry(function);
        return calls.call(loop::Hook::filter, [&] { return loop::distrusted(boundary)(21); });
    }
};

TEST_F(PluginCallsTest, ReturnTheResultOfThePlugin) {
    EXPECT_EQ(call(&doubles).value(), 42);
    EXPECT_TRUE(reports.empty());
}

TEST_F(PluginCallsTest, ReturnAnExceptionAsAnError) {
    const Result<int> answer = call(&throws);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::internal);
    EXPECT_EQ(answer.error().message, "threw an exception: through C");
    EXPECT_THAT(reports, ElementsAre("filter threw an exception: through C"));
}

TEST_F(PluginCallsTest, CatchAnythingThatIsThrown) {
    EXPECT_EQ(call(&throws_a_number).error().message, "threw an exception: not a std::exception");
}

TEST_F(PluginCallsTest, ReportManyExceptionsInFewLines) {
    for (int i = 0; i < 100; ++i) std::ignore = call(&throws);
    EXPECT_THAT(reports, ElementsAre("filter threw an exception: through C",
                                     "filter threw an exception: through C (10 times)",
                                     "filter threw an exception: through C (100 times)"));
}

TEST_F(PluginCallsTest, CountTheExceptionsOfEachHook) {
    const auto throw_in = [&](loop::Hook hook) {
        std::ignore = calls.call(hook, [] { throw std::runtime_error("no data"); });
    };
    for (int i = 0; i < 9; ++i) throw_in(loop::Hook::price);
    throw_in(loop::Hook::options);
    throw_in(loop::Hook::price);
    EXPECT_THAT(reports, ElementsAre("price threw an exception: no data",
                                     "options threw an exception: no data",
                                     "price threw an exception: no data (10 times)"));
}

TEST(PluginCalls, ReturnAnExceptionAlsoWithoutAReport) {
    loop::PluginCalls calls(std::make_shared<loop::CallMarkers>());
    const Result<void> answer =
        calls.call(loop::Hook::price, [] { throw std::runtime_error("no data"); });
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, "threw an exception: no data");
}

TEST(PluginCalls, AreWatchedOnlyOnTheStrandAndWhileTheyLast) {
    const auto watch = std::make_shared<loop::CallWatch>(loop::CallWatch::Options{.plugin = "aws"});
    loop::PluginCalls calls(std::make_shared<loop::CallMarkers>(), {}, watch);
    std::ignore =
        calls.call(loop::Hook::refresh, [&] { EXPECT_EQ(watch->held(Duration(0)), std::nullopt); });
    std::ignore = calls.call_on_strand(loop::Hook::refresh, [&] {
        ASSERT_TRUE(watch->held(Duration(0)));
        EXPECT_EQ(watch->held(Duration(0))->hook, loop::Hook::refresh);
    });
    EXPECT_EQ(watch->held(Duration(0)), std::nullopt);
    std::ignore =
        calls.call_on_strand(loop::Hook::refresh, [] { throw std::runtime_error("no data"); });
    EXPECT_EQ(watch->held(Duration(0)), std::nullopt) << "a call that throws has ended, too";
}

TEST_F(PluginCallsTest, MeasureOnlyTheTimeOfThePlugin) {
    const auto real_time = [] { return std::chrono::steady_clock::now(); };
    const auto use_time = [&] {
        const auto until = real_time() + std::chrono::milliseconds(1);
        while (real_time() < until) {
        }
    };
    const Duration before = loop::PluginTime::spent();
    use_time();
    EXPECT_EQ(loop::PluginTime::spent(), before) << "time outside of plugins does not count";
    std::ignore = calls.call(loop::Hook::refresh, [&] {
        use_time();
        EXPECT_GE(loop::PluginTime::spent() - before, std::chrono::milliseconds(1));
        const loop::PluginTime::Paused copying;
        const Duration at_pause = loop::PluginTime::spent();
        use_time();
        EXPECT_EQ(loop::PluginTime::spent(), at_pause) << "time of the host does not count";
    });
    const Duration after = loop::PluginTime::spent();
    use_time();
    EXPECT_EQ(loop::PluginTime::spent(), after);
}

using PluginCallsDeathTest = PluginCallsTest;

TEST_F(PluginCallsDeathTest, NameAHookThatExitsItsThread) {
    EXPECT_DEATH(
        {
            loop::PluginCalls printing_calls(std::make_shared<loop::CallMarkers>(),
                                             [](loop::Hook, const std::string& what) {
                                                 std::fprintf(stderr, "%s\n", what.c_str());
                                             });
            std::thread([&]() noexcept {
                std::ignore =
                    printing_calls.call(loop::Hook::filter, [] { ::pthread_exit(nullptr); });
            }).join();
        },
        "filter ends the thread it was called on");
}

TEST_F(PluginCallsTest, EndTheForkedChildOfAPlugin) {
    const Result<int> child = call(forks);
    if (child == 0) ::_exit(99);  // the twin would continue with this test
    int status = 0;
    ASSERT_EQ(::waitpid(child.value(), &status, 0), child.value());
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
