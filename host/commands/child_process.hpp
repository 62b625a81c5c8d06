/// Work that may crash or hang, in a process of its own, such as the inspection of a plugin file
/// that is not trusted yet.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/confinement.hpp"

namespace capstan::commands {

/// How a child ended.
struct ChildEnd {
    /// `silent`, `overdue` and `flooding`: the parent killed the child.
    enum class How { finished, crashed, silent, overdue, flooding };

    How how = How::finished;
    int code = 0;        ///< exit code if finished, signal if crashed, else the time limit in ms
    std::string errors;  ///< the end of the child's standard error, at most 4 KiB
    std::vector<std::string> lacking;  ///< what could not be confined; see `confine`
    /// "ended with exit code 1", "was killed by signal 11 (Segmentation fault)", "printed nothing
    /// for 10s", "did not exit within 1m", "wrote more than 4 MiB"
    std::string sentence() const;
    /// The sentence and the beginning of `errors`, fit for one line.
    std::string story() const;
    bool is_well() const noexcept { return how == How::finished && code == 0; }
};

/// How long a child may take and how much it may say.
struct ChildLimits {
    std::chrono::milliseconds patience{10'000};  ///< longest time between two lines
    std::chrono::milliseconds deadline{10'000};  ///< for the child's whole run
    std::optional<Confinement> confinement{};    ///< absent: the child has this process' rights
};

/// Sends one line to the parent; it must not contain a newline.
using SendLine = std::function<void(std::string_view)>;

/// Forks and runs `work` in the child, confined as `limits` say; the return value of `work` is the
/// child's exit code. Lines that the child sends reach `on_line` in order, in this process, 4 MiB
/// of them at most. The untrusted code in the child can write lines as well, so `on_line` has to
/// check them. The child leaves no core file, and its standard output is the null device. The
/// caller must have no other thread. Throws std::runtime_error when no process can be made.
ChildEnd run_child(const std::function<int(const SendLine&)>& work, const ChildLimits& limits,
                   const std::function<void(std::string_view)>& on_line);

}  // namespace capstan::commands
