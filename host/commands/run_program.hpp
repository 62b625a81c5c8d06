/// The `main` of a program with commands.
#pragma once

#include "commands/command_line.hpp"

namespace capstan::commands {

/// Runs the command that the arguments name, and ends the process with its exit code. Called first
/// in `main`.
[[noreturn]] void run_program(int argc, const char* const* argv, const Program& program);

}  // namespace capstan::commands
