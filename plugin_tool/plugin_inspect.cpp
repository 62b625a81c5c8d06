#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "commands/command_line.hpp"
#include "commands/result_output.hpp"
#include "plugin_tool/plugin_program.hpp"
#include "plugin_tool/plugin_report.hpp"

namespace capstan::plugin_tool {
namespace {

int inspect(const std::string& path, bool runs, commands::OutputFormat format,
            commands::Streams streams) {
    const auto file = plugin_runtime::plugin_files::read_plugin(
        {.file = path,
         .sha256 = {},
         .origin = plugin_runtime::plugin_files::PathOrigin::command_line},
        {});
    if (!file) {
        streams.err << "capstan: " << file.error().message << '\n';
        return commands::exit_failed;
    }
    boost::json::object report = describe_file(file->facts);
    if (runs) describe_library(*file, report);
    if (format != commands::OutputFormat::text) {
        commands::print_value(streams, format, report);
    } else {
        print_report(streams.out, report);
    }
    // "loads" is `true`, or a sentence that says why the file does not load.
    return !runs || report.at("loads") == true ? commands::exit_ok : commands::exit_failed;
}

}  // namespace

void add_plugin_inspect(CLI::App& parent, commands::Action& action) {
    CLI::App& command = *parent.add_subcommand("inspect",
                                               "Print owner, hash, versions, kinds and libraries "
                                               "of a plugin file, without running its code");
    auto file = std::make_shared<std::string>();
    command.add_option("file", *file, "Plugin file")->required();
    auto runs = std::make_shared<bool>(false);
    command.add_flag("--run", *runs,
                     "Also run its code to print vendor, classes and settings, in a child process "
                     "that cannot change files or reach the network");
    auto format = commands::add_output_format(command);
    command.callback([&action, file, runs, format] {
        action = [file, runs, format](commands::Streams streams) {
            return inspect(*file, *runs, *format, streams);
        };
    });
}

}  // namespace capstan::plugin_tool
