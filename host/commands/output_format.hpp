/// `-o text|json|yaml`, the same for every command that prints results.
#pragma once

#include <memory>

#include <boost/json/value.hpp>

#include "commands/command_line.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

enum class OutputFormat { text, json, yaml };

/// Adds the option; the answer holds the choice once the line has been parsed.
std::shared_ptr<OutputFormat> add_output_format(CLI::App& command);

/// As JSON or YAML. JSON is indented on a terminal, and else on one line, for programs.
void print_value(Streams streams, OutputFormat format, const boost::json::value& value);

}  // namespace capstan::commands
