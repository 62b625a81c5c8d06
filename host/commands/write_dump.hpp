/// `capstan dump`: writes a cluster's objects into a file that simulate and explain read.
#pragma once

#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"

namespace capstan::commands {

void add_dump(CLI::App& parent, Action& action);

}  // namespace capstan::commands
