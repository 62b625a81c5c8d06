/// Work that may crash or hang, in a process of its own: looking at a plugin file that is not
/// trusted yet.
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
    /// Of the last three the child was killed.
    enum class How { finished, crashed, silent, overdue, flooding };

    How how = How::finished;
    int code = 0;  ///< exit code of a finished one, signal of a crashed one, else milliseconds
    std::string errors;  ///< the end of what it wrote to standard error, at most 4 KiB
    std::vector<std::string> lacking;  ///< what its confinement had to do without; see confine
    /// "ended with exit code 1", "was killed by signal 11 (Segmentation fault)", "gave no sign of
    /// life for 10 s", "did not end within 1m", "wrote more than 4 MiB"
    std::string sentence() const;
    /// The sentence and the beginning of `errors`, fit for one line.
    std::string story() const;
    bool is_well() const noexcept { return how == How::finished && code == 0; }
};

/// How long a child may take and how much it may say.
struct ChildLimits {
    std::chrono::milliseconds patience{10'000};  ///< of its silence, begun anew with each line
    std::chrono::milliseconds deadline{10'000};  ///< from its beginning to its end
    std::optional<Confinement> confinement{};    ///< nothing: it may do what this process may
};

/// Sends one line to the parent; it must not contain a newline.
using SendLine = std::function<void(std::string_view)>;

/// Forks and runs `work` in the child, confined; its answer is the exit code. Lines it sends reach
/// `on_line` in order, in this process: 4 MiB of them at most, and in case of doubt they come from
/// the code that the child was made for. It leaves no core file, and its standard output is the
/// null device. The caller must have no other thread. Throws std::runtime_error when no process can
/// be made.
ChildEnd run_child(const std::function<int(const SendLine&)>& work, const ChildLimits& limits,
                   const std::function<void(std::string_view)>& on_line);

}  // namespace capstan::commands
