/// System calls that a process gives up, by seccomp.
#pragma once

#include <optional>
#include <string>

namespace capstan::commands {

/// From here on this process and its threads to come start no process and no program, make no
/// network socket, send no signal to other processes nor look into them, change no file's owner or
/// mode, and mount nothing; such calls fail with EPERM. Threads can be started. Needs
/// PR_SET_NO_NEW_PRIVS. The answer says why it cannot be had; nothing: it is in force.
std::optional<std::string> filter_system_calls();

}  // namespace capstan::commands
