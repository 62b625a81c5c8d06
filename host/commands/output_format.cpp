#include "commands/output_format.hpp"

#include <string>

#include <CLI/CLI.hpp>

#include "commands/option_checks.hpp"

namespace capstan::commands {

std::shared_ptr<OutputFormat> add_output_format(CLI::App& command) {
    auto format = std::make_shared<OutputFormat>(OutputFormat::text);
    command
        .add_option_function<std::string>(
            "-o,--output",
            [format](const std::string& name) {
                *format = name == "json" ? OutputFormat::json : OutputFormat::text;
            },
            "How to print results: text or json")
        ->check(one_of({"text", "json"}))
        ->type_name("FORMAT")
        ->default_str("text");
    return format;
}

}  // namespace capstan::commands
