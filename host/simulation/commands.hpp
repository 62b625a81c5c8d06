/// What clouds and cluster are asked for, in words: those that scenarios expect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/actions.hpp"

namespace capstan::simulation {

std::string command_of(const engine::Decrease& decrease);
std::string command_of(const engine::MachineRemoval& removal);
std::string command_of(const engine::Increase& increase);
std::string command_of(const engine::Eviction& eviction);

/// A machine in such words: its node's name, or the last part of its id; GROUP/NUMBER where that is
/// a number.
std::string name_of_machine(const MachineId& machine, const std::string& node);

/// Whether the command is `words` or begins with them: "increase" and "increase web" both begin
/// "increase web by 3".
bool begins_with_words(std::string_view command, std::string_view words);

}  // namespace capstan::simulation
