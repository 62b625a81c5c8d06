/// Processes that the host starts: other programs, and forked copies of itself.
///
///     ProgramProcess   a program, followed on the event loop
///     fork_process     a function in a copy of this process, whose pipes the caller reads
///
/// Both report their end in the same words.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "io/file_descriptor.hpp"
#include "io/loop.hpp"

namespace capstan::io {

/// Both ends are closed where another program is executed.
struct Pipe {
    FileDescriptor read_end{}, write_end{};
};
/// `unavailable`: the system has no more.
Result<Pipe> make_pipe();

/// How a process ended.
struct ExitStatus {
    int code = 0;    ///< exit code; of a process that a signal killed 0
    int signal = 0;  ///< that killed it; 0: none

    bool is_success() const noexcept { return code == 0 && signal == 0; }
    /// "ended with exit code 1", "was killed by signal 9 (Killed)"
    std::string sentence() const;
    bool operator==(const ExitStatus&) const = default;
};
/// Of what waitpid() gave.
ExitStatus exit_status(int wait_status) noexcept;
/// Blocks until the child process has ended. `internal`: it has been waited for already.
Result<ExitStatus> wait_for_exit(pid_t child);

/// Runs `work` in a copy of this process, in which it is the only thread, and which ends without
/// running destructors. `work` returns the exit code, and throws nothing. `unavailable`: the system
/// makes no more processes.
Result<pid_t> fork_process(const std::function<int()>& work);

/// Where PATH leads to; nothing: nowhere. Its relative parts do not count, for they would depend on
/// where the host was started.
std::optional<std::filesystem::path> find_in_path(std::string_view command, std::string_view path);

struct ProgramRun {
    std::filesystem::path program{};       ///< absolute
    std::string name{};                    ///< as the program sees it; empty: `program`
    std::vector<std::string> arguments{};  ///< without the name
    /// "NAME=value", all of it; nothing: that of this process.
    std::optional<std::vector<std::string>> environment{};
    std::optional<Duration> deadline{};  ///< nothing: it may run for ever
    std::size_t output_max = 0;          ///< of standard output, in bytes
    /// Gets both outputs, appended, and is made where it is not there; empty: they are read.
    std::filesystem::path log{};
};

struct ProgramEnd {
    ExitStatus status{};
    std::string output{};  ///< all of standard output, which may be secret
    std::string errors{};  ///< the end of standard error
};

/// One run of a program: in a process group of its own, with nothing on standard input, and with no
/// other file of ours open. Used on the loop's thread alone.
class ProgramProcess {
public:
    using Done = std::function<void(Result<ProgramEnd>)>;

    /// `done` is called once, never inside this call. It is over when the program has ended, even
    /// though others that it started may hold its output open. `deadline`: killed, with its whole
    /// group, and what it said last; `quota`: it printed more than output_max, and was killed.
    /// Fails itself where the program cannot be started: `invalid_config`: it cannot be executed,
    /// `unavailable`: the system lacks something. Borrows the loop, whose simulated clock stands
    /// still meanwhile.
    static Result<std::unique_ptr<ProgramProcess>> start(Loop& loop, const ProgramRun& run,
                                                         Done done);
    ProgramProcess(const ProgramProcess&) = delete;
    ProgramProcess& operator=(const ProgramProcess&) = delete;
    /// Kills the group if it still runs; `done` is not called any more.
    ~ProgramProcess();

    /// Asks the program to end (SIGTERM), and kills its group where it has not after `patience`.
    /// Does nothing the second time, or once it has ended.
    void stop(Duration patience);
    pid_t id() const noexcept { return id_; }

private:
    class Child;
    ProgramProcess(pid_t id, std::shared_ptr<Child> child) : id_(id), child_(std::move(child)) {}

    const pid_t id_;
    const std::shared_ptr<Child> child_;
};

/// The last lines of what a program said, fit for one line of a message; empty: it said nothing.
std::string last_words(std::string_view errors);

}  // namespace capstan::io
