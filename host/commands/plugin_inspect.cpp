#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/output_format.hpp"
#include "commands/plugin_report.hpp"

namespace capstan::commands {
namespace {

int inspect(const std::string& path, OutputFormat format, Streams streams) {
    const auto file = runtime::read_plugin(
        {.file = path, .sha256 = {}, .origin = runtime::PathOrigin::command_line}, {});
    if (!file) {
        streams.err << "capstan: " << file.error().message << '\n';
        return exit_failed;
    }
    boost::json::object report = describe_file(file->facts);
    describe_library(*file, report);
    if (format == OutputFormat::json) {
        streams.out << boost::json::serialize(report) << '\n';
    } else {
        print_report(streams.out, report);
    }
    return report.at("loads").is_bool() ? exit_ok : exit_failed;
}

}  // namespace

void add_plugin_inspect(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "inspect",
        "Show what a plugin file is: versions, kinds, classes, settings, hash, what it needs");
    auto file = std::make_shared<std::string>();
    command.add_option("file", *file, "The plugin file; it is only opened in a child process")
        ->required();
    auto format = add_output_format(command);
    command.callback([&action, file, format] {
        action = [file, format](Streams streams) { return inspect(*file, *format, streams); };
    });
}

}  // namespace capstan::commands
