/// The wording of commands to clouds and cluster, and the patterns by which scenarios expect them.
#pragma once

#include <string_view>

#include "engine/actions.hpp"

namespace capstan::simulator {

using engine::command_of;
using engine::name_of_machine;

/// Whether the whole text matches the pattern, in which a star stands for any part of one word:
///     "create nap-n1-standard-4-a-a7b5a40b" matches "create nap-*-a-*"
bool matches_pattern(std::string_view text, std::string_view pattern);

/// Whether the command is `words` or begins with them: "increase" and "increase web" both begin
/// "increase web by 3". Stars in `words` match as above.
bool begins_with_words(std::string_view command, std::string_view words);

}  // namespace capstan::simulator
