#include "kubernetes/client/access/exec_credentials_spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace capstan::kubernetes {
namespace {

std::string message_of_errno(int error) { return std::generic_category().message(error); }

Unexpected lacking(const char* what) {
    return fail(ErrorCode::unavailable, std::string(what) + ": " + message_of_errno(errno));
}

struct Pipe {
    OwnedFile read_end, write_end;
};

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return lacking("pipe");
    return Pipe{OwnedFile(ends[0]), OwnedFile(ends[1])};
}

/// What happens to the child's files between fork and exec.
class FileActions {
public:
    FileActions(const Pipe& output, const Pipe& errors) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output.write_end.get(), STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, errors.write_end.get(), STDERR_FILENO);
        // A plugin's library may have opened files without close-on-exec.
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

/// A group of its own, and signals as if nobody had touched them.
class Attributes {
public:
    Attributes() {
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes_, &signals);
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&attributes_, &signals);
        ::posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_;
};

/// glibc 2.36 has a function for it, but C++ cannot link with its declaration.
OwnedFile open_process(pid_t pid) {
    return OwnedFile(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

}  // namespace

OwnedFile::~OwnedFile() {
    if (file_ >= 0) ::close(file_);
}

Result<Spawned> spawn(const ProgramRun& run) {
    CAPSTAN_TRY(Pipe output, make_pipe());
    CAPSTAN_TRY(Pipe errors, make_pipe());
    const FileActions actions(output, errors);
    const Attributes attributes;
    std::vector<std::string> words{run.program.string()};
    words.insert(words.end(), run.arguments.begin(), run.arguments.end());
    std::vector<std::string> variables = run.environment;
    Spawned out;
    const int error = ::posix_spawn(&out.pid, run.program.c_str(), actions.get(), attributes.get(),
                                    pointers_to(words).data(), pointers_to(variables).data());
    if (error != 0)
        return fail(ErrorCode::invalid_config, "cannot be run: " + message_of_errno(error));
    out.exit = open_process(out.pid);
    if (out.exit.get() < 0) {
        const Unexpected refused = lacking("pidfd_open");
        ::kill(-out.pid, SIGKILL);
        ::waitpid(out.pid, nullptr, 0);
        return refused;
    }
    out.output = std::move(output.read_end);
    out.errors = std::move(errors.read_end);
    return out;
}

}  // namespace capstan::kubernetes
