#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "commands/command_line.hpp"
#include "commands/json_texts.hpp"
#include "commands/option_texts.hpp"
#include "commands/result_output.hpp"
#include "plugin_tool/http_recording.hpp"
#include "plugin_tool/plugin_program.hpp"
#include "plugin_tool/verification.hpp"

namespace capstan::plugin_tool {
namespace {

struct VerifyArguments {
    std::string plugin, settings, http;
    std::uint64_t seed = 1;
    std::shared_ptr<commands::OutputFormat> format;
};

int run_verify(const VerifyArguments& arguments, commands::Streams streams) {
    const commands::PluginName name = commands::parse_plugin_name(arguments.plugin);
    const auto settings = commands::read_settings(arguments.settings);
    if (!settings || !settings->table) {
        streams.err << (settings ? settings->diagnostics.text()
                                 : "capstan: " + settings.error().message + "\n");
        return commands::exit_usage;
    }
    const auto file = plugin_runtime::plugin_files::read_plugin(
        {.file = name.file,
         .sha256 = {},
         .origin = plugin_runtime::plugin_files::PathOrigin::command_line},
        {});
    if (!file) {
        streams.err << "capstan: " << file.error().message << '\n';
        return commands::exit_failed;
    }
    auto recording = read_recording(arguments.http);
    if (!recording) {
        streams.err << "capstan: " << recording.error().message << '\n';
        return commands::exit_usage;
    }
    const VerifyInput input{*settings, *std::move(recording), arguments.seed};
    const Verification verification = verify(*file, name.class_id, input);
    const std::vector<std::string> unchecked = what_to_give(verification, input);
    if (*arguments.format != commands::OutputFormat::text) {
        boost::json::object out{{"file", file->facts.path.string()},
                                {"sha256", file->facts.sha256}};
        for (auto& [key, value] : to_json(verification)) out[key] = value;
        out["not_checked"] = commands::array_of_texts(unchecked);
        commands::print_value(streams, *arguments.format, out);
    } else {
        streams.out << testing::to_text(verification.results);
        for (const std::string& lack : verification.missing_confinement)
            streams.err << "capstan: the checks were not fully confined: " << lack << '\n';
        for (const std::string& line : unchecked) streams.out << line << '\n';
    }
    if (!verification.has_passed()) return commands::exit_failed;
    return unchecked.empty() ? commands::exit_ok : commands::exit_unchecked;
}

}  // namespace

void add_plugin_verify(CLI::App& parent, commands::Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "verify", "Run the conformance suite against a plugin file, in confined child processes");
    auto arguments = std::make_shared<VerifyArguments>();
    command
        .add_option("plugin", arguments->plugin, "Plugin file, or FILE.so#CLASS to check one class")
        ->required();
    command.add_option("--settings", arguments->settings, commands::settings_help)
        ->type_name("FILE.toml");
    command.add_option("--http", arguments->http, commands::http_help)->type_name("RECORDING");
    command
        .add_option("--seed", arguments->seed,
                    "Seed of random choices; the same seed gives the same requests")
        ->type_name("N")
        ->default_str("1");
    arguments->format = commands::add_output_format(command);
    command.callback([&action, arguments] {
        action = [arguments](commands::Streams streams) { return run_verify(*arguments, streams); };
    });
}

}  // namespace capstan::plugin_tool
