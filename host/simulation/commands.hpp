/// What clouds and cluster are asked for, in words: those that scenarios expect.
#pragma once

#include <string_view>

#include "engine/action_text.hpp"

namespace capstan::simulation {

using engine::command_of;
using engine::name_of_machine;

/// Whether the command is `words` or begins with them: "increase" and "increase web" both begin
/// "increase web by 3".
bool begins_with_words(std::string_view command, std::string_view words);

}  // namespace capstan::simulation
