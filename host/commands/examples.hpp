/// The footer of a command's help: example lines, and exit codes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace capstan::commands {

/// Adds the footer to every command below `app` that is not only a parent of others.
void add_examples(CLI::App& app);

/// All example lines, each as a person types it, with its comment.
std::vector<std::string> example_lines();

}  // namespace capstan::commands
