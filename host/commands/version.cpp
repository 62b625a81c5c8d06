#include <boost/json/object.hpp>

#include <capstan/abi/base.h>

#include "commands/options.hpp"
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
    const auto [command, format] =
        add_command(parent, action, "version",
                    "Print the versions of Capstan, its SDK and the plugin ABI", print_version);
    add_output_format(command, format);
}

}  // namespace capstan::commands
