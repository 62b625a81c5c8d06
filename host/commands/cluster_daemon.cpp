#include "commands/cluster_daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace capstan::commands {
namespace {

constexpr Duration exit_poll_interval = std::chrono::milliseconds(100);
constexpr Duration stop_patience = std::chrono::seconds(30);

/// In the child, which has no other thread: only what is allowed between fork and exec.
[[noreturn]] void become(char* const* words, const char* log, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it has died meanwhile
    // Ctrl-C reaches every process at the terminal; this one is told by its parent.
    ::setpgid(0, 0);
    const int in = ::open("/dev/null", O_RDONLY);
    const int out = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (in < 0 || out < 0) ::_exit(126);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    // The cluster's sockets are none of its business.
    ::close_range(STDERR_FILENO + 1, ~0u, 0);
    ::execv("/proc/self/exe", words);
    ::_exit(127);
}

std::string how_it_ended(int status) {
    if (WIFEXITED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
    return "was killed by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

Result<std::unique_ptr<ClusterDaemon>> ClusterDaemon::start(io::Loop& loop, Options options) {
    std::array<std::string, 6> texts{
        "capstan", "run", "--config", options.config.string(), "--state", options.state.string()};
    std::array<char*, 7> words{};
    for (std::size_t i = 0; i < texts.size(); ++i) words[i] = texts[i].data();
    const std::string log = options.log.string();
    const pid_t parent = ::getpid();
    const pid_t id = ::fork();
    if (id < 0)
        return fail(ErrorCode::unavailable,
                    std::string("start capstan run: ") + std::strerror(errno));
    if (id == 0) become(words.data(), log.c_str(), parent);
    return std::unique_ptr<ClusterDaemon>(new ClusterDaemon(loop, id, std::move(options)));
}

ClusterDaemon::ClusterDaemon(io::Loop& loop, pid_t id, Options options)
    : loop_(loop), id_(id), options_(std::move(options)) {
    look_soon();
}

ClusterDaemon::~ClusterDaemon() {
    if (timer_) loop_.cancel(*timer_);
    if (is_over_) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
}

void ClusterDaemon::stop() {
    if (is_over_ || kill_at_) return;
    kill_at_ = loop_.monotonic() + stop_patience;
    ::kill(id_, SIGTERM);
}

void ClusterDaemon::look_soon() {
    timer_ = loop_.after(exit_poll_interval, [this] {
        timer_.reset();
        look();
    });
}

void ClusterDaemon::look() {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
        is_over_ = true;
        return options_.ended(how_it_ended(status));
    }
    if (kill_at_ && loop_.monotonic() > *kill_at_) ::kill(id_, SIGKILL);
    look_soon();
}

}  // namespace capstan::commands
