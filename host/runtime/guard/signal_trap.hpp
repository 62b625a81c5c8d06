/// Signals that stop or reload the process, taken on one thread whatever plugins do to them.
#pragma once

#include <array>
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

}  // namespace capstan::runtime::guard
