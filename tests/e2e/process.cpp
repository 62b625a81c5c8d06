#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "../host/commands/shell.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;

/// Paths of the streams of a program.
struct Streams {
    std::string in = "/dev/null", out = "/dev/null", errors = "/dev/null";
};

/// Runs in the child process; never returns.
[[noreturn]] void become(const std::vector<std::string>& command,
                         const Process::Variables& variables, const Streams& streams) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto redirect = [](int to, const std::string& path, int flags) {
        const int from = ::open(path.c_str(), flags, 0644);
        if (from < 0 || ::dup2(from, to) < 0) ::_exit(126);
    };
    redirect(0, streams.in, O_RDONLY);
    redirect(1, streams.out, O_WRONLY | O_CREAT | O_APPEND);
    redirect(2, streams.errors, O_WRONLY | O_CREAT | O_APPEND);
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    ::_exit(127);
}

pid_t start(const std::vector<std::string>& command, const Process::Variables& variables,
            const Streams& streams) {
    const pid_t id = ::fork();
    if (id < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (id == 0) become(command, variables, streams);
    return id;
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Process::Process(const std::vector<std::string>& command, const Variables& variables,
                 const std::filesystem::path& log)
    : id_(start(command, variables, {.out = log.string(), .errors = log.string()})) {}

Process::~Process() {
    if (is_running()) end(SIGKILL);
}

bool Process::is_running() {
    if (!has_ended_ && ::waitpid(id_, &status_, WNOHANG) == id_) has_ended_ = true;
    return !has_ended_;
}

void Process::signal(int number) {
    if (is_running()) ::kill(id_, number);
}

int Process::end(int number) {
    signal(number);
    if (!becomes(30s, [this] { return !is_running(); })) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, &status_, 0);
        has_ended_ = true;
    }
    return code_of(status_);
}

Output run(const std::vector<std::string>& command, const Process::Variables& variables,
           const std::string& input) {
    const commands::Folder folder;
    const Streams streams{folder.write("in", input), (folder.path() / "out").string(),
                          (folder.path() / "errors").string()};
    const pid_t id = start(command, variables, streams);
    int status = 0;
    const bool ended = becomes(60s, [&] { return ::waitpid(id, &status, WNOHANG) == id; });
    if (!ended) {
        ::kill(id, SIGKILL);
        ::waitpid(id, &status, 0);
    }
    return {code_of(status), folder.read("out"), folder.read("errors")};
}

bool becomes(Seconds within, const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + within;
    while (!is_so()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(200ms);
    }
    return true;
}

}  // namespace capstan::e2e
