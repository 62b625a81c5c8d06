#include "commands/child_process.hpp"

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

namespace capstan::commands {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using namespace std::chrono_literals;

std::vector<std::string> lines_of(const std::function<int(const SendLine&)>& work, ChildEnd& end,
                                  const ChildLimits& limits = {.patience = 20s, .deadline = 1min}) {
    std::vector<std::string> lines;
    end = run_child(work, limits, [&](std::string_view line) { lines.emplace_back(line); });
    return lines;
}

TEST(ChildProcess, DeliversLinesInOrderAndTheExitCode) {
    ChildEnd end;
    const auto work = [](const SendLine& send) {
        send("one");
        send(std::string(100'000, 'x'));
        return 3;
    };
    EXPECT_THAT(lines_of(work, end), ElementsAre("one", std::string(100'000, 'x')));
    EXPECT_EQ(end.how, ChildEnd::How::finished);
    EXPECT_EQ(end.sentence(), "ended with exit code 3");
    EXPECT_FALSE(end.is_well());
}

TEST(ChildProcess, KeepsLinesSentBeforeACrash) {
    ChildEnd end;
    const auto work = [](const SendLine& send) -> int {
        send("before");
        std::raise(SIGKILL);
        return 0;
    };
    EXPECT_THAT(lines_of(work, end), ElementsAre("before"));
    EXPECT_EQ(end.sentence(), "was killed by signal 9 (Killed)");
}

TEST(ChildProcess, IsKilledAfterSilence) {
    ChildEnd end;
    const auto work = [](const SendLine&) -> int {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    };
    lines_of(work, end, {.patience = 50ms, .deadline = 1min});
    EXPECT_EQ(end.how, ChildEnd::How::silent);
    EXPECT_EQ(end.sentence(), "printed nothing for 50ms");
}

TEST(ChildProcess, IsKilledIfItWritesOnlyToStandardError) {
    ChildEnd end;
    const auto work = [](const SendLine&) -> int {
        for (;;) std::fputs("still here\n", stderr);
    };
    lines_of(work, end, {.patience = 50ms, .deadline = 1min});
    EXPECT_EQ(end.how, ChildEnd::How::silent);
    EXPECT_LE(end.errors.size(), 4096u);
    EXPECT_THAT(end.story(), HasSubstr("50ms; standard error: "));
}

TEST(ChildProcess, IsKilledAtItsDeadline) {
    ChildEnd end;
    const auto work = [](const SendLine& send) -> int {
        for (;;) {
            send("more");
            std::this_thread::sleep_for(1ms);
        }
    };
    lines_of(work, end, {.patience = 1min, .deadline = 100ms});
    EXPECT_EQ(end.how, ChildEnd::How::overdue);
    EXPECT_EQ(end.sentence(), "did not exit within 100ms");
}

TEST(ChildProcess, IsKilledAfterTooMuchOutput) {
    ChildEnd end;
    const auto work = [](const SendLine& send) -> int {
        for (;;) send(std::string(100'000, 'x'));
    };
    EXPECT_THAT(lines_of(work, end).size(), testing::Lt(60u));
    EXPECT_EQ(end.sentence(), "wrote more than 4 MiB");
}

TEST(ChildProcess, ReportsTheEndOfStandardErrorOnOneLine) {
    ChildEnd end;
    lines_of(
        [](const SendLine&) { return std::fputs("\x1b[2Jgone\nfor good\n", stderr) < 0 ? 0 : 1; },
        end);
    EXPECT_EQ(end.story(), "ended with exit code 1; standard error: \\x1b[2Jgone; for good");
}

TEST(ChildProcess, ReportsAnException) {
    ChildEnd end;
    lines_of([](const SendLine&) -> int { throw std::runtime_error("no such class"); }, end);
    EXPECT_EQ(end.code, 1);
    EXPECT_THAT(end.errors, HasSubstr("no such class"));
}

TEST(ChildProcess, DoesNotShareStandardOutputWithItsParent) {
    ChildEnd end;
    testing::internal::CaptureStdout();
    lines_of([](const SendLine&) { return std::puts("noise") < 0 ? 1 : 0; }, end);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_TRUE(end.is_well());
}

}  // namespace
}  // namespace capstan::commands
