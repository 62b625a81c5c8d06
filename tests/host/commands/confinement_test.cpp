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

/// What a confined child finds, in a word for each question. Systems without Landlock, seccomp or
/// namespaces fail here and say in `lacking` why.
class Confined : public testing::Test {
protected:
    std::string find(const std::function<std::string()>& what, Confinement limits = {}) {
        std::string found;
        end_ = run_child(
            [&](const SendLine& send) {
                send(what());
                return 0;
            },
            {.patience = 20s, .deadline = 1min, .confinement = std::move(limits)},
            [&](std::string_view line) { found = line; });
        return found;
    }
    static std::string word(bool succeeded) { return succeeded ? "yes" : "no"; }
    ChildEnd end_;
};

TEST_F(Confined, HasNoEnvironmentAndNoDescriptorButItsOwn) {
    ::setenv("CAPSTAN_SECRET", "token", 1);
    const int secret = ::open("/dev/null", O_RDONLY);
    EXPECT_EQ(find([&] {
                  return word(::getenv("CAPSTAN_SECRET") != nullptr) +
                         word(::fcntl(secret, F_GETFD) >= 0);
              }),
              "nono");
    EXPECT_EQ(find([&] { return word(::fcntl(secret, F_GETFD) >= 0); }, {.kept = {secret}}), "yes");
    ::close(secret);
    ::unsetenv("CAPSTAN_SECRET");
}

TEST_F(Confined, ChangesNoFile) {
    const Folder folder;
    const std::string file = folder.write("file", "text"), fresh = folder.path() / "fresh";
    EXPECT_EQ(find([&] {
                  return word(::open(file.c_str(), O_WRONLY) >= 0) +
                         word(::open(fresh.c_str(), O_WRONLY | O_CREAT, 0600) >= 0) +
                         word(::unlink(file.c_str()) == 0) +
                         word(::truncate(file.c_str(), 0) == 0) +
                         word(::chmod(file.c_str(), 0777) == 0);
              }),
              "nonononono")
        << testing::PrintToString(end_.lacking);
    EXPECT_EQ(folder.read("file"), "text");
    EXPECT_EQ(find([&] { return word(::open(file.c_str(), O_RDONLY) >= 0); }), "yes");
}

TEST_F(Confined, StartsNoProcessAndReachesNobody) {
    const pid_t parent = ::getpid();
    EXPECT_EQ(find([&] {
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

TEST_F(Confined, StartsThreads) {
    EXPECT_EQ(find([] {
                  std::string said = "nothing";
                  std::thread([&said] { said = "something"; }).join();
                  return said;
              }),
              "something");
}

TEST_F(Confined, HasAnEndOfMemory) {
    const auto can_write = [](std::size_t bytes) {
        return word(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                           0) != MAP_FAILED);
    };
    EXPECT_EQ(
        find([&] { return can_write(64 << 20) + can_write(512 << 20); }, {.memory = 256 << 20}),
        "yesno");
}

TEST_F(Confined, IsKilledWhenItHasUsedUpItsTime) {
    find(
        []() -> std::string {
            for (volatile bool forever = true; forever;) {
            }
            return {};
        },
        {.cpu = 1s});
    EXPECT_EQ(end_.how, ChildEnd::How::crashed) << end_.sentence();
}

TEST_F(Confined, StillCrashesLikeAnyOther) {
    find([]() -> std::string { std::abort(); });
    EXPECT_EQ(end_.sentence(), "was killed by signal 6 (Aborted)");
}

}  // namespace
}  // namespace capstan::commands
