/// Files that a process cannot change, by Landlock.
#pragma once

#include <optional>
#include <string>

namespace capstan::commands {

/// From here on this process and its threads to come write, make, rename, truncate, remove and
/// execute no file; what is open already stays writable, and reading stays allowed. Where the
/// kernel has the means, TCP connections and signals to other processes end, too. Needs
/// PR_SET_NO_NEW_PRIVS. The answer says why it cannot be had; nothing: it is in force.
std::optional<std::string> protect_files();

}  // namespace capstan::commands
