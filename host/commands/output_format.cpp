#include "commands/output_format.hpp"

#include <string>

#include <CLI/CLI.hpp>

#include "commands/option_checks.hpp"
#include "commands/value_text.hpp"

namespace capstan::commands {
namespace {

OutputFormat format_named(const std::string& name) {
    if (name == "json") return OutputFormat::json;
    return name == "yaml" ? OutputFormat::yaml : OutputFormat::text;
}

}  // namespace

std::shared_ptr<OutputFormat> add_output_format(CLI::App& command) {
    auto format = std::make_shared<OutputFormat>(OutputFormat::text);
    command
        .add_option_function<std::string>(
            "-o,--output", [format](const std::string& name) { *format = format_named(name); },
            "How to print results: text, json or yaml")
        ->check(one_of({"text", "json", "yaml"}))
        ->type_name("FORMAT")
        ->default_str("text");
    return format;
}

void print_value(Streams streams, OutputFormat format, const boost::json::value& value) {
    if (format == OutputFormat::yaml) {
        streams.out << yaml_text(value);
    } else {
        streams.out << (streams.out_is_terminal ? json_indented(value) : json_line(value)) << '\n';
    }
}

}  // namespace capstan::commands
