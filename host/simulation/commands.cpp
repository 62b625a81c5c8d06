#include "simulation/commands.hpp"

namespace capstan::simulation {

bool begins_with_words(std::string_view command, std::string_view words) {
    return command.starts_with(words) &&
           (command.size() == words.size() || command[words.size()] == ' ');
}

}  // namespace capstan::simulation
