/// `-o text|json`, the same for every command that prints results.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace capstan::commands {

enum class OutputFormat { text, json };

/// Adds the option; the answer holds the choice once the line has been parsed.
std::shared_ptr<OutputFormat> add_output_format(CLI::App& command);

}  // namespace capstan::commands
