#include "commands/output_format.hpp"

#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace capstan::commands {

std::shared_ptr<OutputFormat> add_output_format(CLI::App& command) {
    auto format = std::make_shared<OutputFormat>(OutputFormat::text);
    const std::map<std::string, OutputFormat> names{{"text", OutputFormat::text},
                                                    {"json", OutputFormat::json}};
    command.add_option("-o,--output", *format, "How to print results: text or json")
        ->transform(CLI::CheckedTransformer(names))
        ->type_name("FORMAT")
        ->default_str("text");
    return format;
}

}  // namespace capstan::commands
