/// Takes the signals that stop or reload the process on one thread, whatever plugins do to signals.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::plugin_runtime::guard {

/// SIGTERM, SIGINT, SIGQUIT and SIGHUP are blocked in the constructing thread, and so in each
/// thread that it starts later. `wait` takes them without a descriptor, which a plugin might close.
/// If a thread has unblocked a signal, a handler remembers the signal for `wait`. One per process.
class SignalTrap {
public:
    SignalTrap();
    SignalTrap(const SignalTrap&) = delete;
    SignalTrap& operator=(const SignalTrap&) = delete;
    ~SignalTrap();

    /// Blocks the signals in the calling thread again, after foreign code has run on it.
    static void block_here() noexcept;
    /// Waits for the next signal, for at most `patience` of real time. [one thread]
    std::optional<int> wait(Duration patience) const;
    /// Restores the handlers that foreign code has replaced. Returns those signals.
    std::vector<int> mend_handlers() const;
    /// Ends the process as `signal` would without this class.
    [[noreturn]] static void die_of(int signal);

    /// "SIGTERM".
    static std::string name_of(int signal);
};

// The exit code of a process that was held up.

/// The process ended itself because of a plugin, a thread or its memory, and is to be restarted.
/// Lease, memory and state are as after a crash.
inline constexpr int exit_held_up = 4;

// The time in which a repeated stop signal counts as the first one.

/// A supervisor may signal a process and its process group at once.
inline constexpr Duration same_signal_within = std::chrono::seconds(1);

}  // namespace capstan::plugin_runtime::guard
