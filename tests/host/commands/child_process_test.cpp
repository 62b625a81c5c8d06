#include "commands/child_process.hpp"

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

namespace capstan::commands {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using std::chrono::milliseconds;

std::vector<std::string> lines_of(const std::function<int(const SendLine&)>& work, ChildEnd& end,
                                  milliseconds patience = std::chrono::seconds(20)) {
    std::vector<std::string> lines;
    end = run_child(work, patience, [&](std::string_view line) { lines.emplace_back(line); });
    return lines;
}

TEST(ChildProcess, ItsLinesArriveInOrderAndItsExitCodeIsTheAnswer) {
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

TEST(ChildProcess, ACrashKeepsWhatWasSentBeforeIt) {
    ChildEnd end;
    const auto work = [](const SendLine& send) -> int {
        send("before");
        std::raise(SIGKILL);
        return 0;
    };
    EXPECT_THAT(lines_of(work, end), ElementsAre("before"));
    EXPECT_EQ(end.sentence(), "was killed by signal 9 (Killed)");
}

TEST(ChildProcess, OneThatGivesNoSignOfLifeIsKilled) {
    ChildEnd end;
    const auto work = [](const SendLine&) -> int {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    };
    lines_of(work, end, milliseconds(50));
    EXPECT_EQ(end.how, ChildEnd::How::timed_out);
    EXPECT_EQ(end.sentence(), "gave no sign of life for 50 ms");
}

TEST(ChildProcess, AnExceptionIsItsLastWord) {
    ChildEnd end;
    lines_of([](const SendLine&) -> int { throw std::runtime_error("no such class"); }, end);
    EXPECT_EQ(end.code, 1);
    EXPECT_THAT(end.errors, HasSubstr("no such class"));
}

TEST(ChildProcess, StandardOutputIsNotTheParents) {
    ChildEnd end;
    testing::internal::CaptureStdout();
    lines_of([](const SendLine&) { return std::puts("noise") < 0 ? 1 : 0; }, end);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_TRUE(end.is_well());
}

}  // namespace
}  // namespace capstan::commands
