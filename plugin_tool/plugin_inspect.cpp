#include <boost/json.hpp>

#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/single_plugin.hpp"
#include "plugin_tool/plugin_program.hpp"
#include "plugin_tool/plugin_report.hpp"

namespace capstan::plugin_tool {
namespace {

struct InspectArguments {
    std::string file;
    bool runs = false;
    commands::OutputFormat format{};
};

int inspect(const InspectArguments& arguments, commands::Streams streams) {
    const auto& [path, runs, format] = arguments;
    const auto file = plugin_runtime::plugin_files::read_plugin(commands::given_file(path), {});
    if (!file) return commands::refuse(streams, file.error().message, commands::exit_failed);
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
    const auto [command, arguments] =
        commands::add_command(parent, action, "inspect",
                              "Print owner, hash, versions, kinds and libraries "
                              "of a plugin file, without running its code",
                              inspect);
    command.add_option("file", arguments.file, "Plugin file")->required();
    command.add_flag("--run", arguments.runs,
                     "Also run its code to print vendor, classes and settings, in a child process "
                     "that cannot change files or reach the network");
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::plugin_tool
