#include "plugin_runtime/loop/breadcrumbs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

namespace capstan::plugin_runtime::instances {
namespace {

struct BreadcrumbsTest : testing::Test {
    std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / ("crumbs-" + std::to_string(::getpid()));
    ~BreadcrumbsTest() override { std::filesystem::remove(file); }

    /// Runs `run` in a child process and kills it with SIGKILL.
    void run_and_kill(const std::function<void(loop::Breadcrumbs&)>& run) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto crumbs = loop::Breadcrumbs::open(file);
            if (crumbs) run(**crumbs);
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
    }
};

TEST_F(BreadcrumbsTest, NameTheHookOfAKilledProcess) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        const auto quiet = crumbs.add_markers("labels");
        const auto markers = crumbs.add_markers("acme_score (score.so 1.2.0)");
        const loop::CallMarker marker(*markers, loop::Hook::filter);
        ::kill(::getpid(), SIGKILL);
    });
    const auto crumbs = loop::Breadcrumbs::open(file);
    ASSERT_TRUE(crumbs) << crumbs.error().message;
    EXPECT_FALSE((*crumbs)->previous().clean);
    EXPECT_THAT((*crumbs)->previous().inside,
                testing::ElementsAre("acme_score (score.so 1.2.0), filter"));
}

TEST_F(BreadcrumbsTest, NameNoPluginIfTheProcessDiedElsewhere) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        const auto markers = crumbs.add_markers("labels");
        {
            const loop::CallMarker marker(*markers, loop::Hook::similar);
        }
        ::kill(::getpid(), SIGKILL);
    });
    const auto crumbs = loop::Breadcrumbs::open(file);
    EXPECT_FALSE((*crumbs)->previous().clean);
    EXPECT_THAT((*crumbs)->previous().inside, testing::IsEmpty());
    EXPECT_EQ((*crumbs)->previous().sentence(),
              "the previous run crashed or was killed outside of plugin calls (kill, out of "
              "memory, or a crash in another thread)");
}

TEST_F(BreadcrumbsTest, NameAllRunningCallsInOneSentence) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        const auto cloud = crumbs.add_markers("aws (aws.so 2.0.0)");
        const auto score = crumbs.add_markers("score (score.so 1.2.0)");
        const loop::CallMarker refresh(*cloud, loop::Hook::refresh);
        const loop::CallMarker filter(*score, loop::Hook::filter);
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().sentence(),
              "the previous run crashed or was killed; running calls: aws (aws.so 2.0.0), refresh; "
              "score (score.so 1.2.0), filter");
}

TEST_F(BreadcrumbsTest, ReportTheReasonOfTheWatchdogOnce) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        crumbs.note_end("a reason that another one replaces");
        crumbs.note_end("plugin evil: callback has not returned for 31 s");
    });
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().sentence(),
              "the previous run was ended by the watchdog: plugin evil: callback has not returned "
              "for 31 s");
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().sentence(), "") << "reported once";
}

TEST_F(BreadcrumbsTest, TruncateALongReason) {
    run_and_kill([](loop::Breadcrumbs& crumbs) { crumbs.note_end(std::string(5000, 'x')); });
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().because, std::string(500, 'x'));
}

TEST_F(BreadcrumbsTest, NameTheCallsOfAProcessThatTheWatchdogEnded) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        const auto markers = crumbs.add_markers("evil (evil.so 1.0.0)");
        const loop::CallMarker marker(*markers, loop::Hook::callback);
        crumbs.note_end("plugin evil: callback has not returned for 31 s");
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().sentence(),
              "the previous run was ended by the watchdog: plugin evil: callback has not returned "
              "for 31 s; running calls: evil (evil.so 1.0.0), callback");
}

TEST_F(BreadcrumbsTest, NameAHookUntilItsLastCallReturns) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        const auto markers = crumbs.add_markers("aws");
        for (int i = 0; i < 2; ++i) markers->enter(loop::Hook::blocking);
        markers->leave(loop::Hook::blocking);
        markers->enter(loop::Hook::price);
        markers->leave(loop::Hook::price);
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_THAT(loop::Breadcrumbs::open(file).value()->previous().inside,
                testing::ElementsAre("aws, blocking"));
}

TEST_F(BreadcrumbsTest, ForgetAnInstanceThatWasDestroyed) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        auto old_instance = crumbs.add_markers("aws 1");
        old_instance->enter(loop::Hook::refresh);
        old_instance = nullptr;
        const auto markers = crumbs.add_markers("aws 2");
        markers->enter(loop::Hook::increase);
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_THAT(loop::Breadcrumbs::open(file).value()->previous().inside,
                testing::ElementsAre("aws 2, increase"));
}

TEST_F(BreadcrumbsTest, TruncateLongNamesOfInstances) {
    run_and_kill([](loop::Breadcrumbs& crumbs) {
        const auto markers = crumbs.add_markers(std::string(200, 'n'));
        const loop::CallMarker marker(*markers, loop::Hook::filter);
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_THAT(loop::Breadcrumbs::open(file).value()->previous().inside,
                testing::ElementsAre(std::string(143, 'n') + ", filter"));
}

TEST_F(BreadcrumbsTest, AreNotOpenedThroughASymbolicLink) {
    const std::filesystem::path link = file.string() + "-link";
    std::filesystem::create_symlink(file, link);
    const auto crumbs = loop::Breadcrumbs::open(link);
    std::filesystem::remove(link);
    ASSERT_FALSE(crumbs);
    EXPECT_EQ(crumbs.error().code, ErrorCode::unavailable);
    EXPECT_FALSE(std::filesystem::exists(file)) << "nothing was created at its target";
}

TEST_F(BreadcrumbsTest, AreUnavailableInAMissingFolder) {
    const std::filesystem::path missing = file / "crumbs";
    const auto crumbs = loop::Breadcrumbs::open(missing);
    ASSERT_FALSE(crumbs);
    EXPECT_EQ(crumbs.error().code, ErrorCode::unavailable);
    EXPECT_EQ(crumbs.error().message, "open " + missing.string() + ": No such file or directory");
}

TEST_F(BreadcrumbsTest, AreTakenWhileAnotherProcessHasThemOpen) {
    const auto is_taken_for_another_process = [&] {
        const pid_t other = ::fork();
        if (other == 0) ::_exit(loop::Breadcrumbs::is_taken(file) ? 1 : 0);
        int status = 0;
        EXPECT_EQ(::waitpid(other, &status, 0), other);
        return WIFEXITED(status) && WEXITSTATUS(status) == 1;
    };
    EXPECT_FALSE(is_taken_for_another_process()) << "there is no file";
    auto crumbs = loop::Breadcrumbs::open(file).value();
    EXPECT_TRUE(is_taken_for_another_process());
    crumbs = nullptr;
    EXPECT_FALSE(is_taken_for_another_process());
}

TEST_F(BreadcrumbsTest, RecognizeACleanEnd) {
    loop::Breadcrumbs::open(file).value();
    const auto crumbs = loop::Breadcrumbs::open(file);
    EXPECT_TRUE((*crumbs)->previous().clean);
}

TEST_F(BreadcrumbsTest, IgnoreAHangingCallOfACleanEnd) {
    auto crumbs = loop::Breadcrumbs::open(file).value();
    const auto markers = crumbs->add_markers("evil");
    markers->enter(loop::Hook::filter);
    crumbs->end();
    // A call that never returns keeps the file locked until its process ends.
    const std::filesystem::path copy = file.string() + "-copy";
    std::filesystem::copy_file(file, copy);
    EXPECT_EQ(loop::Breadcrumbs::open(copy).value()->previous().sentence(), "");
    std::filesystem::remove(copy);
}

TEST_F(BreadcrumbsTest, AreRefusedIfTheDiskIsFull) {
    // Writes beyond the size limit fail as on a full disk.
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{64u << 10, 64u << 10};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto crumbs = loop::Breadcrumbs::open(file);
        ::_exit(!crumbs && crumbs.error().code == ErrorCode::unavailable ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(BreadcrumbsTest, IgnoreAForeignFile) {
    std::ofstream(file) << std::string(300'000, 'x');
    const auto crumbs = loop::Breadcrumbs::open(file);
    ASSERT_TRUE(crumbs);
    EXPECT_TRUE((*crumbs)->previous().clean);
}

TEST_F(BreadcrumbsTest, AreLockedByOneHost) {
    const auto first = loop::Breadcrumbs::open(file);
    const pid_t other = ::fork();
    if (other == 0) {
        const auto second = loop::Breadcrumbs::open(file);
        ::_exit(!second && second.error().message.starts_with("lock ") ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(BreadcrumbsTest, AreNotLockedByAChildOfTheLastHost) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    pid_t child = 0;
    const pid_t host = ::fork();
    if (host == 0) {
        const auto crumbs = loop::Breadcrumbs::open(file);
        child = ::fork();
        if (child == 0) {
            ::close(pipe_ends[1]);
            char byte = 0;
            ::_exit(static_cast<int>(::read(pipe_ends[0], &byte, 1)));
        }
        ::_exit(crumbs && child > 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(host, &status, 0), host);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_TRUE(loop::Breadcrumbs::open(file));
    ::close(pipe_ends[1]);  // ends the child
    ::close(pipe_ends[0]);
}

TEST_F(BreadcrumbsTest, GiveEachInstanceMarkersThatOutliveThem) {
    auto crumbs = loop::Breadcrumbs::open(file).value();
    std::vector<std::unique_ptr<loop::CallMarkers>> all_markers;
    for (int i = 0; i < 600; ++i) all_markers.push_back(crumbs->add_markers(std::string(300, 'n')));
    EXPECT_THAT(all_markers, testing::Each(testing::NotNull())) << "also beyond the recorded ones";
    crumbs = nullptr;
    for (const auto& markers : all_markers) markers->enter(loop::Hook::split);
    all_markers.clear();
    EXPECT_TRUE(loop::Breadcrumbs::open(file).value()->previous().clean)
        << "end was recorded before";
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
