#include "io/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "io/printable.hpp"

namespace capstan::io {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;

constexpr std::size_t errors_kept = 4096;
constexpr std::size_t last_lines = 5, last_bytes = 1024;

Unexpected unavailable(const char* call) {
    return fail(ErrorCode::unavailable, std::string(call) + ": " + errno_message());
}

}  // namespace

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return unavailable("pipe");
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string ExitStatus::sentence() const {
    if (signal == 0) return "ended with exit code " + std::to_string(code);
    return "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

ExitStatus exit_status(int wait_status) noexcept {
    ExitStatus out;
    if (WIFEXITED(wait_status)) out.code = WEXITSTATUS(wait_status);
    if (WIFSIGNALED(wait_status)) out.signal = WTERMSIG(wait_status);
    return out;
}

Result<ExitStatus> wait_for_exit(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail(ErrorCode::internal, "waitpid: " + errno_message());
    }
    return exit_status(status);
}

Result<pid_t> fork_process(const std::function<int()>& work) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) return unavailable("fork");
    if (child > 0) return child;
    const int code = work();
    std::fflush(nullptr);
    ::_exit(code);
}

std::optional<std::filesystem::path> find_in_path(std::string_view command, std::string_view path) {
    while (!path.empty()) {
        const std::size_t end = path.find(':');
        const std::filesystem::path folder(path.substr(0, end));
        path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
        std::filesystem::path file = folder / command;
        std::error_code error;
        if (folder.is_absolute() && std::filesystem::is_regular_file(file, error) &&
            ::access(file.c_str(), X_OK) == 0)
            return file;
    }
    return std::nullopt;
}

std::string last_words(std::string_view errors) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t last = errors.find_last_not_of(space);
    if (last == std::string_view::npos) return {};
    errors = errors.substr(0, last + 1);
    std::size_t begin = errors.size();
    for (std::size_t lines = 0; lines < last_lines && begin != std::string_view::npos; ++lines)
        begin = begin == 0 ? std::string_view::npos : errors.rfind('\n', begin - 1);
    if (begin != std::string_view::npos) errors.remove_prefix(begin + 1);
    if (errors.size() > last_bytes) errors.remove_prefix(errors.size() - last_bytes);
    return printable(errors, last_bytes);
}

namespace {

/// What posix_spawn does to the program's file descriptors.
class FileActions {
public:
    FileActions() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

    void write_to_pipes(const Pipe& output, const Pipe& errors) {
        ::posix_spawn_file_actions_adddup2(&actions_, output.write_end.get(), STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, errors.write_end.get(), STDERR_FILENO);
    }
    void append_to(const std::filesystem::path& log) {
        ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                           O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    }
    /// Closes all others, because a plugin's library may have opened files without close-on-exec.
    void close_others() {
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

/// The attributes of posix_spawn: a process group of its own, and default signal handlers.
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

/// A started program. Its process group has its process id.
struct Spawned {
    pid_t pid = 0;
    FileDescriptor exit{};  ///< a pidfd, which is readable after the program's end
    /// The read ends of its outputs; closed where the program writes a log.
    FileDescriptor output{}, errors{};
};

/// pidfd_open. glibc 2.36 has the function, but C++ cannot link with its declaration.
FileDescriptor open_process(pid_t pid) {
    return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// Spawns the program. Returns an errno; 0: success, and `pid` is set.
int execute(const ProgramRun& run, const FileActions& actions, pid_t& pid) {
    const Attributes attributes;
    std::vector<std::string> words{run.name.empty() ? run.program.string() : run.name};
    words.insert(words.end(), run.arguments.begin(), run.arguments.end());
    std::vector<std::string> variables = run.environment.value_or(std::vector<std::string>());
    const std::vector<char*> own = pointers_to(variables);
    return ::posix_spawn(&pid, run.program.c_str(), actions.get(), attributes.get(),
                         pointers_to(words).data(), run.environment ? own.data() : ::environ);
}

Result<Spawned> spawn(const ProgramRun& run) {
    FileActions actions;
    Pipe output, errors;
    if (run.log.empty()) {
        CAPSTAN_TRY(output, make_pipe());
        CAPSTAN_TRY(errors, make_pipe());
        actions.write_to_pipes(output, errors);
    } else {
        actions.append_to(run.log);
    }
    actions.close_others();
    Spawned out;
    if (const int error = execute(run, actions, out.pid); error != 0)
        return fail(ErrorCode::invalid_config,
                    "cannot be run: " + std::generic_category().message(error));
    out.exit = open_process(out.pid);
    if (!out.exit) {
        const Unexpected refused = unavailable("pidfd_open");
        ::kill(-out.pid, SIGKILL);
        ::waitpid(out.pid, nullptr, 0);
        return refused;
    }
    out.output = std::move(output.read_end);
    out.errors = std::move(errors.read_end);
    return out;
}

}  // namespace

/// The waits share it. The wait for the program's end outlives the ProgramProcess, because a killed
/// program still has to be reaped.
class ProgramProcess::Child : public std::enable_shared_from_this<Child> {
public:
    Child(Loop& loop, Spawned spawned, std::size_t output_max, Done done)
        : loop_(&loop),
          external_work_(loop),
          pid_(spawned.pid),
          exit_(loop.io(), spawned.exit.release()),
          output_(loop.io()),
          errors_(loop.io()),
          output_max_(output_max),
          done_(std::move(done)) {
        open(output_, spawned.output);
        open(errors_, spawned.errors);
    }

    void begin(const std::optional<Duration>& deadline) {
        if (deadline) {
            kill_after(*deadline,
                       [limit = *deadline](Child& child) { child.give_up_after(limit); });
        }
        await_exit();
        listen(output_);
        listen(errors_);
    }
    void abandon() {
        done_ = nullptr;
        kill(SIGKILL);
        close();
    }
    void stop(Duration grace_period) {
        if (!is_open() || is_stopping_) return;
        is_stopping_ = true;
        if (pid_ > 0) ::kill(pid_, SIGTERM);
        kill_after(grace_period, [](Child& child) { child.kill(SIGKILL); });
    }

private:
    static void open(Descriptor& to, FileDescriptor& from) {
        if (!from) return;
        to.assign(from.release());
        to.non_blocking(true);
    }
    /// Replaces the timer of the deadline.
    void kill_after(Duration time, std::function<void(Child&)> act) {
        if (timer_) loop_->cancel(*timer_);
        timer_ = loop_->after(time, [self = weak_from_this(), act = std::move(act)] {
            if (const auto child = self.lock()) {
                child->timer_.reset();
                act(*child);
            }
        });
    }
    void await_exit() {
        exit_.async_wait(Descriptor::wait_read, [self = shared_from_this()](auto error) {
            if (!error) self->on_exit();
        });
    }
    void listen(Descriptor& from) {
        if (!from.is_open()) return;
        from.async_wait(Descriptor::wait_read, [self = shared_from_this(), &from](auto error) {
            if (!error && self->is_open() && self->read_some(from)) self->listen(from);
        });
    }
    /// False: end of file, or an error.
    bool read_some(Descriptor& from) {
        std::array<char, 16 * 1024> piece;
        boost::system::error_code error;
        const std::size_t size = from.read_some(boost::asio::buffer(piece), error);
        if (error == boost::asio::error::would_block) return true;
        if (error) return false;
        return &from == &output_ ? take_output({piece.data(), size})
                                 : take_errors({piece.data(), size});
    }
    bool take_output(std::string_view text) {
        end_.output += text;
        if (end_.output.size() <= output_max_) return true;
        finish_killed(ErrorCode::quota,
                      "printed more than " + std::to_string(output_max_) + " bytes");
        return false;
    }
    bool take_errors(std::string_view text) {
        end_.errors += text;
        if (end_.errors.size() > errors_kept)
            end_.errors.erase(0, end_.errors.size() - errors_kept);
        return true;
    }
    void give_up_after(Duration deadline) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(deadline);
        std::string why = "did not exit within " + std::to_string(ms.count()) + " ms";
        if (const std::string said = last_words(end_.errors); !said.empty())
            why += "; it wrote: " + said;
        finish_killed(ErrorCode::deadline, std::move(why));
    }
    void finish_killed(ErrorCode code, std::string why) {
        kill(SIGKILL);
        finish(fail(code, std::move(why)));
    }
    void on_exit() {
        int status = 0;
        const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
        // Asio may wake for an event of an earlier descriptor with the same number.
        if (reaped == 0) return await_exit();
        pid_ = 0;
        if (!is_open()) return;
        // The last output may still be in the pipes.
        drain(output_);
        drain(errors_);
        if (reaped < 0)
            return finish(fail(ErrorCode::internal,
                               "another part of this process collected its exit status"));
        end_.status = exit_status(status);
        finish(std::move(end_));
    }
    void drain(Descriptor& from) {
        boost::system::error_code error;
        std::array<char, 16 * 1024> piece;
        while (is_open() && from.is_open()) {
            const std::size_t size = from.read_some(boost::asio::buffer(piece), error);
            if (error || size == 0) return;
            if (&from == &output_) take_output({piece.data(), size});
            if (&from == &errors_) take_errors({piece.data(), size});
        }
    }
    bool is_open() const { return external_work_.has_value(); }
    void finish(Result<ProgramEnd> result) {
        if (!is_open()) return;
        close();
        if (const Done done = std::exchange(done_, nullptr)) done(std::move(result));
    }
    /// Ends all waits except the one for the program's end.
    void close() {
        if (!is_open()) return;
        if (const auto timer = std::exchange(timer_, std::nullopt)) loop_->cancel(*timer);
        external_work_.reset();
        loop_ = nullptr;
        output_.close();
        errors_.close();
    }
    /// Sends the signal to the whole group. The process id cannot be reused before the program is
    /// reaped.
    void kill(int signal) const {
        if (pid_ > 0) ::kill(-pid_, signal);
    }

    Loop* loop_;                                       ///< NULL: closed
    std::optional<Loop::ExternalWork> external_work_;  ///< absent: closed
    pid_t pid_;                                        ///< 0: reaped
    Descriptor exit_, output_, errors_;
    const std::size_t output_max_;
    Done done_;
    ProgramEnd end_{};
    std::optional<TimerId> timer_{};
    bool is_stopping_ = false;
};

Result<std::unique_ptr<ProgramProcess>> ProgramProcess::start(Loop& loop, const ProgramRun& run,
                                                              Done done) {
    CAPSTAN_TRY(Spawned spawned, spawn(run));
    const pid_t id = spawned.pid;
    auto child = std::make_shared<Child>(loop, std::move(spawned), run.output_max, std::move(done));
    child->begin(run.deadline);
    return std::unique_ptr<ProgramProcess>(new ProgramProcess(id, std::move(child)));
}

ProgramProcess::~ProgramProcess() { child_->abandon(); }

void ProgramProcess::stop(Duration grace_period) { child_->stop(grace_period); }

}  // namespace capstan::io
