#include <CLI/CLI.hpp>

#include <capstan/abi/base.h>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/output_format.hpp"

namespace capstan::commands {
namespace {

int print_version(OutputFormat format, std::ostream& out) {
    if (format == OutputFormat::json) {
        out << R"({"version":")" CAPSTAN_VERSION R"(","sdk":")" CAPSTAN_SDK_VERSION R"(","abi":")"
            << CAPSTAN_ABI_MAJOR << '.' << CAPSTAN_ABI_MINOR_LATEST << "\"}\n";
    } else {
        out << version_text() << '\n';
    }
    return exit_ok;
}

}  // namespace

std::string version_text() {
    return "capstan " CAPSTAN_VERSION ", SDK " CAPSTAN_SDK_VERSION ", plugin ABI " +
           std::to_string(CAPSTAN_ABI_MAJOR) + "." + std::to_string(CAPSTAN_ABI_MINOR_LATEST);
}

void add_version(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("version", "Print the versions of host, SDK and plugin ABI");
    auto format = add_output_format(command);
    command.callback([&action, format] {
        action = [format](Streams streams) { return print_version(*format, streams.out); };
    });
}

}  // namespace capstan::commands
