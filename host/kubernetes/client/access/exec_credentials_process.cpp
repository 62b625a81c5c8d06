#include "kubernetes/client/access/exec_credentials_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "io/printable.hpp"

namespace capstan::kubernetes::client {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;

constexpr std::size_t errors_kept = 4096;
constexpr std::size_t last_lines = 5, last_bytes = 1024;

}  // namespace

/// Shared with the waits, the one for the program's end above all: a program that is of no interest
/// any more still has to be taken off the process table.
class ProgramProcess::Child : public std::enable_shared_from_this<Child> {
public:
    Child(io::Loop& loop, Spawned spawned, std::size_t output_max, Done done)
        : loop_(&loop),
          outside_(loop),
          pid_(spawned.pid),
          exit_(loop.io(), spawned.exit.release()),
          output_(loop.io(), spawned.output.release()),
          errors_(loop.io(), spawned.errors.release()),
          output_max_(output_max),
          done_(std::move(done)) {
        output_.non_blocking(true);
        errors_.non_blocking(true);
    }

    void begin(Duration deadline) {
        timer_ = loop_->after(deadline, [self = weak_from_this(), deadline] {
            if (const auto child = self.lock()) child->give_up_after(deadline);
        });
        await_exit();
        listen(output_);
        listen(errors_);
    }
    void abandon() {
        done_ = nullptr;
        kill();
        close();
    }

private:
    void await_exit() {
        exit_.async_wait(Descriptor::wait_read, [self = shared_from_this()](auto error) {
            if (!error) self->on_exit();
        });
    }
    void listen(Descriptor& from) {
        from.async_wait(Descriptor::wait_read, [self = shared_from_this(), &from](auto error) {
            if (!error && self->is_open() && self->read_some(from)) self->listen(from);
        });
    }
    /// False: nothing more comes.
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
        std::string why = "did not end within " + std::to_string(ms.count()) + " ms";
        if (const std::string said = last_words(end_.errors); !said.empty())
            why += "; it said: " + said;
        finish_killed(ErrorCode::deadline, std::move(why));
    }
    void finish_killed(ErrorCode code, std::string why) {
        kill();
        finish(fail(code, std::move(why)));
    }
    void on_exit() {
        int status = 0;
        const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
        // Asio may wake for what another descriptor of the same number left behind.
        if (reaped == 0) return await_exit();
        pid_ = 0;
        if (!is_open()) return;
        // What it printed last may still be in the pipes.
        drain(output_);
        drain(errors_);
        if (reaped < 0) return finish(fail(ErrorCode::internal, "somebody else waited for it"));
        if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
        if (WIFEXITED(status)) end_.code = WEXITSTATUS(status);
        finish(std::move(end_));
    }
    void drain(Descriptor& from) {
        boost::system::error_code error;
        std::array<char, 16 * 1024> piece;
        while (is_open()) {
            const std::size_t size = from.read_some(boost::asio::buffer(piece), error);
            if (error || size == 0) return;
            if (&from == &output_) take_output({piece.data(), size});
            if (&from == &errors_) take_errors({piece.data(), size});
        }
    }
    bool is_open() const { return outside_.has_value(); }
    void finish(Result<ProgramEnd> result) {
        if (!is_open()) return;
        close();
        if (const Done done = std::exchange(done_, nullptr)) done(std::move(result));
    }
    /// Ends everything but the wait for the program's end.
    void close() {
        if (!is_open()) return;
        loop_->cancel(timer_);
        outside_.reset();
        loop_ = nullptr;
        output_.close();
        errors_.close();
    }
    /// Until it has been waited for, no other process gets its number.
    void kill() const {
        if (pid_ > 0) ::kill(-pid_, SIGKILL);
    }

    io::Loop* loop_;                            ///< NULL: over
    std::optional<io::Loop::Outside> outside_;  ///< nothing: over
    pid_t pid_;                                 ///< 0: waited for
    Descriptor exit_, output_, errors_;
    const std::size_t output_max_;
    Done done_;
    ProgramEnd end_{};
    io::TimerId timer_ = 0;
};

Result<std::unique_ptr<ProgramProcess>> ProgramProcess::start(io::Loop& loop, const ProgramRun& run,
                                                              Done done) {
    CAPSTAN_TRY(Spawned spawned, spawn(run));
    auto child = std::make_shared<Child>(loop, std::move(spawned), run.output_max, std::move(done));
    child->begin(run.deadline);
    return std::unique_ptr<ProgramProcess>(new ProgramProcess(std::move(child)));
}

ProgramProcess::~ProgramProcess() { child_->abandon(); }

std::string ProgramEnd::sentence() const {
    return signal != 0 ? "was killed by signal " + std::to_string(signal)
                       : "ended with exit code " + std::to_string(code);
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
    return io::printable(errors, last_bytes);
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

/// A group of its own, and signals with their defaults.
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

}  // namespace capstan::kubernetes::client
