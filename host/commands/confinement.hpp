/// Confinement of a process that runs untrusted code: system calls, files, network, limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace capstan::commands {

// System calls that a process gives up, by seccomp.

/// Installs a seccomp filter for this process and threads started later. They can no longer start a
/// process or program, make a socket, signal or trace other processes, change the owner or mode of
/// a file, or mount: such calls fail with EPERM. Threads can be started. Needs PR_SET_NO_NEW_PRIVS.
/// Returns why the filter could not be installed; absent: it is in force.
std::optional<std::string> filter_system_calls();

// Files that a process cannot change, by Landlock.

/// Installs a Landlock ruleset for this process and threads started later. They can no longer
/// write, make, rename, remove or execute a file. Open files stay writable, and reading stays
/// allowed. Newer kernels also refuse truncation, TCP connections and signals to other processes.
/// Needs PR_SET_NO_NEW_PRIVS. Returns why the ruleset could not be installed; absent: it is in
/// force.
std::optional<std::string> protect_files();

// The whole confinement of a process that runs untrusted code.

/// Limits of a confined process. The limits of memory are added to what the process has when it is
/// confined.
struct Confinement {
    std::uint64_t memory = std::uint64_t{1} << 30;         ///< writable bytes, stacks included
    std::uint64_t address_space = std::uint64_t{8} << 30;  ///< bytes of address space
    std::chrono::seconds cpu{60};                          ///< of all threads together
    std::uint64_t file_size = 0;                           ///< bytes of an in-memory file
    int descriptors = 256;                                 ///< open at the same time
    std::vector<int> kept{};  ///< descriptors that stay open, as the standard ones do
};

/// Confines this process, which has one thread, until its end:
///   - it has no environment, the root as its working folder, no terminal, and of its descriptors
///     the standard ones and `kept`;
///   - it has no capability and gains none, even as root;
///   - no file can be written, made, renamed or removed, none executed;
///   - it sees no network, makes no socket, starts no process and sends no signal to another;
///   - it writes no core file.
/// Files can be read, threads can be started. A part of the confinement that this system cannot
/// provide is skipped; the result has a sentence for each skipped part.
std::vector<std::string> confine(const Confinement& limits);

}  // namespace capstan::commands
