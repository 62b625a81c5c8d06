/// What stands below the options in the help of a command: lines to type, and exit codes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace capstan::commands {

/// To every command below `app` that carries something out.
void add_examples(CLI::App& app);

/// All lines that are shown, each as it is typed, with its comment.
std::vector<std::string> example_lines();

}  // namespace capstan::commands
