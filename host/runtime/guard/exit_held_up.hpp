/// The exit code of a process that was held up.
#pragma once

namespace capstan::runtime::guard {

/// The process ended itself because a plugin, a thread or memory held it up; it is to be started
/// anew. What is kept (Lease, memory, state) is as after a crash.
inline constexpr int exit_held_up = 4;

}  // namespace capstan::runtime::guard
