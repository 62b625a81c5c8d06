#include "runtime/loop/breadcrumbs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

namespace capstan::runtime::instances {
namespace {

struct Crumbs : testing::Test {
    std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / ("crumbs-" + std::to_string(::getpid()));
    ~Crumbs() override { std::filesystem::remove(file); }

    /// Runs `live` in a child that is then killed as the kernel kills: without a word.
    void die_in(const std::function<void(loop::Breadcrumbs&)>& live) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto crumbs = loop::Breadcrumbs::open(file);
            if (crumbs) live(**crumbs);
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
    }
};

TEST_F(Crumbs, NameTheHookAKilledProcessWasIn) {
    die_in([](loop::Breadcrumbs& crumbs) {
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

TEST_F(Crumbs, SayNothingOfPluginsWhenTheProcessDiedElsewhere) {
    die_in([](loop::Breadcrumbs& crumbs) {
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

TEST_F(Crumbs, TellAllCallsOfARunInOneSentence) {
    die_in([](loop::Breadcrumbs& crumbs) {
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

TEST_F(Crumbs, TellTheReasonForWhichTheProcessEndedItself) {
    die_in([](loop::Breadcrumbs& crumbs) {
        crumbs.note_end("a reason that another one replaces");
        crumbs.note_end("plugin evil: callback has not returned for 31 s");
    });
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().sentence(),
              "the previous run was ended by the watchdog: plugin evil: callback has not returned "
              "for 31 s");
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().sentence(), "") << "told once";
}

TEST_F(Crumbs, CutAReasonThatIsTooLong) {
    die_in([](loop::Breadcrumbs& crumbs) { crumbs.note_end(std::string(5000, 'x')); });
    EXPECT_EQ(loop::Breadcrumbs::open(file).value()->previous().because, std::string(500, 'x'));
}

TEST_F(Crumbs, CallAnEndCleanThatWasOne) {
    loop::Breadcrumbs::open(file).value();
    const auto crumbs = loop::Breadcrumbs::open(file);
    EXPECT_TRUE((*crumbs)->previous().clean);
}

TEST_F(Crumbs, SayNothingOfACallThatNeverReturnedInARunThatEndedByItself) {
    auto crumbs = loop::Breadcrumbs::open(file).value();
    const auto markers = crumbs->add_markers("evil");
    markers->enter(loop::Hook::filter);
    crumbs->end();
    // What never returned keeps the file to the end of its process.
    const std::filesystem::path copy = file.string() + "-copy";
    std::filesystem::copy_file(file, copy);
    EXPECT_EQ(loop::Breadcrumbs::open(copy).value()->previous().sentence(), "");
    std::filesystem::remove(copy);
}

TEST_F(Crumbs, AreRefusedWithASentenceWhereTheDiskHasNoRoomForThem) {
    // Every size above the limit fails as a disk does that has no more.
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

TEST_F(Crumbs, TakeAFileThatIsNotTheirsForNone) {
    std::ofstream(file) << std::string(300'000, 'x');
    const auto crumbs = loop::Breadcrumbs::open(file);
    ASSERT_TRUE(crumbs);
    EXPECT_TRUE((*crumbs)->previous().clean);
}

TEST_F(Crumbs, AreNotSharedByTwoHosts) {
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

TEST_F(Crumbs, AreNotKeptFromTheNextHostByAChildOfTheLast) {
    int until_over[2];
    ASSERT_EQ(::pipe(until_over), 0);
    pid_t child = 0;
    const pid_t host = ::fork();
    if (host == 0) {
        const auto crumbs = loop::Breadcrumbs::open(file);
        child = ::fork();
        if (child == 0) {
            ::close(until_over[1]);
            char byte = 0;
            ::_exit(static_cast<int>(::read(until_over[0], &byte, 1)));
        }
        ::_exit(crumbs && child > 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(host, &status, 0), host);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_TRUE(loop::Breadcrumbs::open(file));
    ::close(until_over[1]);  // which ends the child
    ::close(until_over[0]);
}

TEST_F(Crumbs, HaveRoomForEveryInstanceAndSurviveTheirFile) {
    auto crumbs = loop::Breadcrumbs::open(file).value();
    std::vector<std::unique_ptr<loop::CallMarkers>> all_markers;
    for (int i = 0; i < 600; ++i) all_markers.push_back(crumbs->add_markers(std::string(300, 'n')));
    EXPECT_THAT(all_markers, testing::Each(testing::NotNull())) << "also beyond what is recorded";
    crumbs = nullptr;
    for (const auto& markers : all_markers) markers->enter(loop::Hook::split);
    all_markers.clear();
    EXPECT_TRUE(loop::Breadcrumbs::open(file).value()->previous().clean)
        << "it had said goodbye before";
}

}  // namespace
}  // namespace capstan::runtime::instances
