/// `capstan dump`: a cluster as a file for simulate and explain.
#pragma once

#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"

namespace capstan::commands {

void add_dump(CLI::App& parent, Action& action);

}  // namespace capstan::commands
