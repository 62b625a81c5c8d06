#include "commands/confinement.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>

#include "commands/child_process.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using namespace std::chrono_literals;

/// Results of system calls in a confined child, "yes" or "no" each. Systems without Landlock,
/// seccomp or namespaces fail these tests; `lacking` has the reason.
class ConfinementTest : public testing::Test {
protected:
    std::string run_confined(const std::function<std::string()>& what, Confinement limits = {}) {
        std::string output;
        end_ = run_child(
            [&](const SendLine& send) {
                send(what());
                return 0;
            },
            {.patience = 20s, .deadline = 1min, .confinement = std::move(limits)},
            [&](std::string_view line) { output = line; });
        return output;
    }
    static std::string word(bool succeeded) { return succeeded ? "yes" : "no"; }
    ChildEnd end_;
};

TEST_F(ConfinementTest, HidesTheEnvironmentAndOtherDescriptors) {
    ::setenv("CAPSTAN_SECRET", "token", 1);
    const int secret = ::open("/dev/null", O_RDONLY);
    EXPECT_EQ(run_confined([&] {
                  return word(::getenv("CAPSTAN_SECRET") != nullptr) +
                         word(::fcntl(secret, F_GETFD) >= 0);
              }),
              "nono");
    EXPECT_EQ(run_confined([&] { return word(::fcntl(secret, F_GETFD) >= 0); }, {.kept = {secret}}),
              "yes");
    ::close(secret);
    ::unsetenv("CAPSTAN_SECRET");
}

TEST_F(ConfinementTest, AllowsReadingButNoChangeOfFiles) {
    const Folder folder;
    const std::string file = folder.write("file", "text"), fresh = folder.path() / "fresh";
    EXPECT_EQ(run_confined([&] {
                  return word(::open(file.c_str(), O_WRONLY) >= 0) +
                         word(::open(fresh.c_str(), O_WRONLY | O_CREAT, 0600) >= 0) +
                         word(::unlink(file.c_str()) == 0) +
                         word(::truncate(file.c_str(), 0) == 0) +
                         word(::chmod(file.c_str(), 0777) == 0);
              }),
              "nonononono")
        << testing::PrintToString(end_.lacking);
    EXPECT_EQ(folder.read("file"), "text");
    EXPECT_EQ(run_confined([&] { return word(::open(file.c_str(), O_RDONLY) >= 0); }), "yes");
}

TEST_F(ConfinementTest, ForbidsProcessesSocketsAndSignals) {
    const pid_t parent = ::getpid();
    EXPECT_EQ(run_confined([&] {
                  const pid_t child = ::fork();
                  if (child == 0) ::_exit(0);
                  return word(child > 0) + word(::execl("/bin/true", "true", nullptr) == 0) +
                         word(::socket(AF_INET, SOCK_STREAM, 0) >= 0) +
                         word(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0) +
                         word(::kill(parent, 0) == 0);
              }),
              "nonononono")
        << testing::PrintToString(end_.lacking);
}

TEST_F(ConfinementTest, AllowsThreads) {
    EXPECT_EQ(run_confined([] {
                  std::string result = "nothing";
                  std::thread([&result] { result = "something"; }).join();
                  return result;
              }),
              "something");
}

TEST_F(ConfinementTest, LimitsMemory) {
    const auto can_write = [](std::size_t bytes) {
        return word(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                           0) != MAP_FAILED);
    };
    EXPECT_EQ(run_confined([&] { return can_write(64 << 20) + can_write(512 << 20); },
                           {.memory = 256 << 20}),
              "yesno");
}

TEST_F(ConfinementTest, LimitsCpuTime) {
    run_confined(
        []() -> std::string {
            for (volatile bool forever = true; forever;) {
            }
            return {};
        },
        {.cpu = 1s});
    EXPECT_EQ(end_.how, ChildEnd::How::crashed) << end_.sentence();
}

TEST_F(ConfinementTest, ReportsACrash) {
    run_confined([]() -> std::string { std::abort(); });
    EXPECT_EQ(end_.sentence(), "was killed by signal 6 (Aborted)");
}

}  // namespace
}  // namespace capstan::commands
