#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>

#include <capstan/abi/base.h>

#include "commands/command_line.hpp"
#include "commands/result_output.hpp"

namespace capstan::commands {
namespace {

std::string abi_text() {
    return std::to_string(CAPSTAN_ABI_MAJOR) + "." + std::to_string(CAPSTAN_ABI_MINOR_LATEST);
}

/// The version of the keys of `-o json`, for all commands; CHANGELOG.md lists what each version
/// renamed.
constexpr int json_version = 2;

int print_version(OutputFormat format, Streams streams) {
    if (format == OutputFormat::text) {
        streams.out << version_text() << '\n';
    } else {
        print_value(streams, format,
                    boost::json::object{{"version", CAPSTAN_VERSION},
                                        {"sdk", CAPSTAN_SDK_VERSION},
                                        {"abi", abi_text()},
                                        {"json", json_version}});
    }
    return exit_ok;
}

}  // namespace

std::string version_text() {
    return "capstan " CAPSTAN_VERSION ", SDK " CAPSTAN_SDK_VERSION ", plugin ABI " + abi_text();
}

void add_version(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "version", "Print the versions of Capstan, its SDK and the plugin ABI");
    auto format = add_output_format(command);
    command.callback([&action, format] {
        action = [format](Streams streams) { return print_version(*format, streams); };
    });
}

}  // namespace capstan::commands
