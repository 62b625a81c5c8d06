/// What a process that runs untrusted code may do.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace capstan::commands {

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
