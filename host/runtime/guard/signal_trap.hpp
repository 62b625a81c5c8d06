/// Signals that stop or reload the process, taken on one thread whatever plugins do to them.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::runtime::guard {

/// SIGTERM, SIGINT, SIGQUIT and SIGHUP are blocked in the thread that makes this, and so in each
/// thread that it starts later; `wait` takes them without a descriptor, which a plugin might close.
/// A thread that unblocks one gets a handler that only remembers it. One per process.
class SignalTrap {
public:
    SignalTrap();
    SignalTrap(const SignalTrap&) = delete;
    SignalTrap& operator=(const SignalTrap&) = delete;
    ~SignalTrap();

    /// Blocks the signals in the calling thread once more, after foreign code ran there.
    static void block_here() noexcept;
    /// The next signal, waited for `patience` of real time. [one thread]
    std::optional<int> wait(Duration patience) const;
    /// Puts back the handlers that foreign code has replaced, and names those signals.
    std::vector<int> mend_handlers() const;
    /// Ends the process as `signal` would without this.
    [[noreturn]] static void die_of(int signal);

    /// "SIGTERM".
    static std::string name_of(int signal);
};

// The exit code of a process that was held up.

/// The process ended itself because a plugin, a thread or memory held it up; it is to be started
/// anew. What is kept (Lease, memory, state) is as after a crash.
inline constexpr int exit_held_up = 4;

// When a second stop signal is the first once more.

/// A supervisor that signals a process and its group at once has asked once.
inline constexpr Duration same_signal_within = std::chrono::seconds(1);

}  // namespace capstan::runtime::guard
