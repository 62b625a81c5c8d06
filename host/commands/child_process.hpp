/// Work that may crash or hang, in a process of its own: looking at a plugin file that nobody
/// trusts yet.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace capstan::commands {

/// How a child ended.
struct ChildEnd {
    enum class How { finished, crashed, timed_out };

    How how = How::finished;
    int code = 0;        ///< exit code of a finished one, signal of a crashed one
    std::string errors;  ///< the end of what it wrote to standard error, at most 4 KiB
    /// "ended with exit code 1", "was killed by signal 11 (Segmentation fault)", "gave no sign of
    /// life for 10 s"
    std::string sentence() const;
    bool is_well() const noexcept { return how == How::finished && code == 0; }
};

/// Sends one line to the parent; it must not contain a newline.
using SendLine = std::function<void(std::string_view)>;

/// Forks and runs `work` in the child; its answer is the exit code. Lines it sends reach `on_line`
/// in order, in this process. A child that sends nothing for `patience` is killed. It leaves no
/// core file, and its standard output is the null device. The caller must have no other thread.
/// Throws std::system_error when no process can be made.
ChildEnd run_child(const std::function<int(const SendLine&)>& work,
                   std::chrono::milliseconds patience,
                   const std::function<void(std::string_view)>& on_line);

}  // namespace capstan::commands
