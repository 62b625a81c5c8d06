// Child processes of the loop: their output, how they are stopped, and how their end is reported.
#include "io/process.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::io {
namespace {

using ::testing::HasSubstr;

class ProgramProcessTest : public ::testing::Test {
protected:
    ~ProgramProcessTest() override { std::filesystem::remove_all(folder_); }

    ProgramRun shell(const std::string& script) const {
        return {.program = "/bin/sh", .arguments = {"-c", script}, .output_max = 1000};
    }
    void start(const ProgramRun& run) {
        auto started = ProgramProcess::start(loop_, run, [this](Result<ProgramEnd> end) {
            end_ = std::move(end);
            io_.stop();
        });
        ASSERT_TRUE(started) << started.error().message;
        process_ = *std::move(started);
    }
    Result<ProgramEnd> await_end() {
        io_.restart();
        io_.run_for(std::chrono::seconds(30));
        return end_ ? *std::move(end_)
                    : Result<ProgramEnd>(fail(ErrorCode::deadline, "still running"));
    }
    std::string log() const {
        std::ifstream in(folder_ / "log");
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// `script` writes "ready" when it has set its traps.
    void start_and_await_ready(const std::string& script) {
        ProgramRun run = shell(script);
        run.log = folder_ / "log";
        start(run);
        for (int i = 0; i < 3000 && log() != "ready\n"; ++i)
            io_.run_for(std::chrono::milliseconds(10));
        ASSERT_EQ(log(), "ready\n");
    }

    const std::filesystem::path folder_ = [] {
        std::string name = (std::filesystem::temp_directory_path() / "capstan-XXXXXX").string();
        return std::filesystem::path(::mkdtemp(name.data()));
    }();
    boost::asio::io_context io_;
    Loop loop_{io_};
    std::unique_ptr<ProgramProcess> process_{};
    std::optional<Result<ProgramEnd>> end_{};
};

TEST_F(ProgramProcessTest, AppendsBothOutputsToALog) {
    std::ofstream(folder_ / "log") << "before\n";
    ProgramRun run = shell("echo out; echo err >&2");
    run.log = folder_ / "log";
    start(run);
    const auto end = await_end();
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_TRUE(end->status.is_success());
    EXPECT_EQ(log(), "before\nout\nerr\n");
    EXPECT_EQ(end->output + end->errors, "");
}

TEST_F(ProgramProcessTest, UsesTheGivenNameAndEnvironment) {
    ProgramRun run = shell("echo $0 $WHERE");
    run.name = "capstan";
    run.environment = {"WHERE=here"};
    run.arguments.push_back("first");
    start(run);
    EXPECT_EQ(await_end()->output, "first here\n");
}

TEST_F(ProgramProcessTest, InheritsTheEnvironmentByDefault) {
    ::setenv("CAPSTAN_PROCESS_TEST", "inherited", 1);
    start(shell("echo $CAPSTAN_PROCESS_TEST"));
    EXPECT_EQ(await_end()->output, "inherited\n");
}

TEST_F(ProgramProcessTest, IsStoppedWithSigterm) {
    start_and_await_ready("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done");
    process_->stop(std::chrono::seconds(20));
    EXPECT_EQ(await_end()->status.sentence(), "ended with exit code 7");
}

TEST_F(ProgramProcessTest, IsKilledIfItIgnoresSigterm) {
    start_and_await_ready("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    process_->stop(std::chrono::milliseconds(50));
    process_->stop(std::chrono::hours(1));  // changes nothing
    EXPECT_EQ(await_end()->status.sentence(), "was killed by signal 9 (Killed)");
}

TEST_F(ProgramProcessTest, IsKilledWhenItsOwnerIsDestroyed) {
    start(shell("sleep 600"));
    const pid_t id = process_->id();
    process_.reset();
    for (int i = 0; i < 1000 && ::kill(id, 0) == 0; ++i) io_.run_for(std::chrono::milliseconds(10));
    EXPECT_NE(::kill(id, 0), 0);
    EXPECT_FALSE(end_);
}

TEST_F(ProgramProcessTest, ReportsAProgramThatCannotBeExecuted) {
    const auto started = ProgramProcess::start(loop_, {.program = folder_}, [](const auto&) {});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(started.error().message, HasSubstr("cannot be run: Permission denied"));
}

TEST(ForkedProcess, ReturnsTheExitCodeOfItsFunction) {
    const auto child = fork_process([] { return 3; });
    ASSERT_TRUE(child) << child.error().message;
    EXPECT_EQ(wait_for_exit(*child)->sentence(), "ended with exit code 3");
    EXPECT_EQ(wait_for_exit(*child).error().code, ErrorCode::internal);
}

}  // namespace
}  // namespace capstan::io
