/// System calls that a process gives up, by seccomp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace capstan::commands {

/// From here on this process and its threads to come start no process and no program, make no
/// network socket, send no signal to other processes nor look into them, change no file's owner or
/// mode, and mount nothing; such calls fail with EPERM. Threads can be started. Needs
/// PR_SET_NO_NEW_PRIVS. The answer says why it cannot be had; nothing: it is in force.
std::optional<std::string> filter_system_calls();

// Files that a process cannot change, by Landlock.

/// From here on this process and its threads to come write, make, rename, truncate, remove and
/// execute no file; what is open already stays writable, and reading stays allowed. Where the
/// kernel has the means, TCP connections and signals to other processes end, too. Needs
/// PR_SET_NO_NEW_PRIVS. The answer says why it cannot be had; nothing: it is in force.
std::optional<std::string> protect_files();

// What a process that runs untrusted code may do.

/// Limits of a confined process. Those of memory are on top of what it has when it is confined.
struct Confinement {
    std::uint64_t memory = std::uint64_t{1}
                           << 30;  ///< bytes it may write, its threads' stacks included
    std::uint64_t address_space = std::uint64_t{8} << 30;  ///< bytes it may reserve
    std::chrono::seconds cpu{60};                          ///< of all its threads together
    std::uint64_t file_size = 0;                           ///< bytes, of what is in memory alone
    int descriptors = 256;                                 ///< open at the same time
    std::vector<int> kept{};  ///< descriptors that stay open, beside the standard ones
};

/// Confines this process, which has one thread, until its end:
///   - it has no environment, the root as its working folder, no terminal, and of its descriptors
///     the standard ones and `kept`;
///   - it has no capability and gains none, also as root;
///   - no file can be written, made, renamed or removed, none executed;
///   - it sees no network, makes no socket, starts no process and sends no signal to another;
///   - it writes no core file.
/// Files can be read, threads can be started. What this system does not let a process give up is
/// passed over and told in the answer, a sentence for each; empty: nothing.
std::vector<std::string> confine(const Confinement& limits);

}  // namespace capstan::commands
