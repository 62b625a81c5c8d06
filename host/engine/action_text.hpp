/// What a decision asks for, in words.
#pragma once

#include <string>

#include "engine/actions.hpp"

namespace capstan::engine {

/// "decrease web by 2"
std::string command_of(const Decrease& decrease);
/// "remove n1, n2 from web"
std::string command_of(const MachineRemoval& removal);
/// "create nap-n1-a1b2"
std::string command_of(const GroupCreation& creation);
/// "delete nap-n1-a1b2"
std::string command_of(const GroupDeletion& deletion);
/// "increase web by 3"
std::string command_of(const Increase& increase);
/// "evict shop/web-1"
std::string command_of(const Eviction& eviction);

/// A machine in such words: its node's name, or the last part of its id; GROUP/NUMBER where that is
/// a number.
std::string name_of_machine(const MachineId& machine, const std::string& node);

}  // namespace capstan::engine
