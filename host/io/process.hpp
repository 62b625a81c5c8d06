/// Processes that the host starts: other programs, and forked copies of itself.
///
///     ProgramProcess   a program, whose output and end are awaited on the event loop
///     fork_process     a function in a copy of this process; the caller reads its pipes
///
/// Both report their end as an ExitStatus.
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

/// Both ends are close-on-exec.
struct Pipe {
    FileDescriptor read_end{}, write_end{};
};
/// `unavailable`: the process or the system has no descriptor left.
Result<Pipe> make_pipe();

/// How a process ended.
struct ExitStatus {
    int code = 0;    ///< exit code; 0 if a signal killed the process
    int signal = 0;  ///< the signal that killed the process; 0: none

    bool is_success() const noexcept { return code == 0 && signal == 0; }
    /// "ended with exit code 1", "was killed by signal 9 (Killed)"
    std::string sentence() const;
    bool operator==(const ExitStatus&) const = default;
};
/// From the status of waitpid().
ExitStatus exit_status(int wait_status) noexcept;
/// Blocks until the child process has ended. `internal`: the child has been waited for already.
Result<ExitStatus> wait_for_exit(pid_t child);

/// Runs `work` in a forked copy of this process. The copy has one thread, and ends without running
/// destructors. `work` returns the exit code, and must not throw. `unavailable`: the system can
/// create no process.
Result<pid_t> fork_process(const std::function<int()>& work);

/// The program `command` in the folders of `path`; absent: it is in none. Relative folders are
/// ignored, because they depend on the host's working folder.
std::optional<std::filesystem::path> find_in_path(std::string_view command, std::string_view path);

struct ProgramRun {
    std::filesystem::path program{};       ///< absolute
    std::string name{};                    ///< argv[0]; empty: `program`
    std::vector<std::string> arguments{};  ///< without argv[0]
    /// The whole environment, as "NAME=value"; absent: this process's environment.
    std::optional<std::vector<std::string>> environment{};
    std::optional<Duration> deadline{};  ///< absent: no limit
    std::size_t output_max = 0;          ///< of standard output, in bytes
    /// A file to which standard output and standard error are appended; created if missing. Empty:
    /// both are captured.
    std::filesystem::path log{};
};

struct ProgramEnd {
    ExitStatus status{};
    std::string output{};  ///< all of standard output, which may be secret
    std::string errors{};  ///< the end of standard error
};

/// One run of a program, in a process group of its own, with an empty standard input and without
/// other open files of the host. Used on the loop's thread alone.
class ProgramProcess {
public:
    using Done = std::function<void(Result<ProgramEnd>)>;

    /// `done` is called once, never inside this call, when the program has ended; its own children
    /// may still have its output open. Errors of `done`: `deadline`: the program's group was killed
    /// at the deadline; the message has its last words. `quota`: the program printed more than
    /// output_max, and was killed. Errors of this call: `invalid_config`: the program cannot be
    /// executed. `unavailable`: the system lacks a resource. Borrows the loop, whose simulated
    /// clock does not advance meanwhile.
    static Result<std::unique_ptr<ProgramProcess>> start(Loop& loop, const ProgramRun& run,
                                                         Done done);
    ProgramProcess(const ProgramProcess&) = delete;
    ProgramProcess& operator=(const ProgramProcess&) = delete;
    /// Kills the group if the program still runs. `done` is not called afterwards.
    ~ProgramProcess();

    /// Sends SIGTERM, and kills the group if the program has not ended after `grace_period`. No
    /// effect on the second call, or after the program's end.
    void stop(Duration grace_period);
    pid_t id() const noexcept { return id_; }

private:
    class Child;
    ProgramProcess(pid_t id, std::shared_ptr<Child> child) : id_(id), child_(std::move(child)) {}

    const pid_t id_;
    const std::shared_ptr<Child> child_;
};

/// The last lines of `errors` as one line for a message; empty: there is none.
std::string last_words(std::string_view errors);

}  // namespace capstan::io
