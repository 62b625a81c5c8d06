/// A program run for what it prints, while the loop goes on.
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

#include "io/loop.hpp"

namespace capstan::kubernetes::client {

/// Where PATH leads to; nothing: nowhere. Its relative parts do not count, for they would depend on
/// where the host was started.
std::optional<std::filesystem::path> find_in_path(std::string_view command, std::string_view path);

struct ProgramRun {
    std::filesystem::path program{};         ///< absolute
    std::vector<std::string> arguments{};    ///< without the program's name
    std::vector<std::string> environment{};  ///< "NAME=value", all of it
    Duration deadline{};
    std::size_t output_max = 0;  ///< of standard output, in bytes
};

struct ProgramEnd {
    int code = 0;          ///< exit code; of a killed program 0
    int signal = 0;        ///< that killed it; 0: none
    std::string output{};  ///< all of standard output, which may be secret
    std::string errors{};  ///< the end of standard error

    bool is_well() const noexcept { return code == 0 && signal == 0; }
    /// "ended with exit code 1", "was killed by signal 9"
    std::string sentence() const;
};

/// One run of a program: in a process group of its own, with nothing on standard input, and with no
/// other file of ours open. Used on the loop's thread alone.
class ProgramProcess {
public:
    using Done = std::function<void(Result<ProgramEnd>)>;

    /// `done` is called once, never inside this call. It is over when the program has ended, even
    /// though others that it started may hold its output open. `deadline`: killed, with its whole
    /// group, and what it said last; `quota`: it printed more than output_max, and was killed.
    /// Fails itself where the program cannot be started. Borrows the loop, whose simulated clock
    /// stands still meanwhile.
    static Result<std::unique_ptr<ProgramProcess>> start(io::Loop& loop, const ProgramRun& run,
                                                         Done done);
    ProgramProcess(const ProgramProcess&) = delete;
    ProgramProcess& operator=(const ProgramProcess&) = delete;
    /// Kills the group if it still runs; `done` is not called any more.
    ~ProgramProcess();

private:
    class Child;
    explicit ProgramProcess(std::shared_ptr<Child> child) : child_(std::move(child)) {}

    const std::shared_ptr<Child> child_;
};

/// The last lines of what a program said, fit for one line of a message; empty: it said nothing.
std::string last_words(std::string_view errors);

// Starting a program, in the operating system's terms.

/// A file descriptor that is closed at the end.
class OwnedFile {
public:
    OwnedFile() = default;
    explicit OwnedFile(int file) noexcept : file_(file) {}
    OwnedFile(OwnedFile&& other) noexcept : file_(other.release()) {}
    OwnedFile& operator=(OwnedFile&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~OwnedFile();

    int get() const noexcept { return file_; }
    int release() noexcept { return std::exchange(file_, -1); }

private:
    int file_ = -1;
};

/// A program that has been started, in a process group of its own that has the same number.
struct Spawned {
    pid_t pid = 0;
    OwnedFile exit{};    ///< readable when it has ended
    OwnedFile output{};  ///< the ends to read from
    OwnedFile errors{};
};

/// `invalid_config`: the program cannot be run; `unavailable`: the system lacks something.
Result<Spawned> spawn(const ProgramRun& run);

}  // namespace capstan::kubernetes::client
