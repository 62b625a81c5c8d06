#include <boost/json.hpp>

#include "commands/json_texts.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "plugin_tool/http_recording.hpp"
#include "plugin_tool/plugin_program.hpp"
#include "plugin_tool/verification.hpp"

namespace capstan::plugin_tool {
namespace {

struct VerifyArguments {
    std::string plugin, settings, http;
    std::uint64_t seed = 1;
    commands::OutputFormat format{};
};

int run_verify(const VerifyArguments& arguments, commands::Streams streams) {
    const commands::PluginName name = commands::parse_plugin_name(arguments.plugin);
    const auto settings = commands::read_settings(arguments.settings);
    if (!settings) return commands::refuse(streams, settings.error().message, commands::exit_usage);
    if (!settings->table) {
        streams.err << settings->diagnostics.text();
        return commands::exit_usage;
    }
    const auto file =
        plugin_runtime::plugin_files::read_plugin(commands::given_file(name.file), {});
    if (!file) return commands::refuse(streams, file.error().message, commands::exit_failed);
    auto recording = read_recording(arguments.http);
    if (!recording)
        return commands::refuse(streams, recording.error().message, commands::exit_usage);
    const VerifyInput input{*settings, *std::move(recording), arguments.seed};
    const Verification verification = verify(*file, name.class_id, input);
    const std::vector<std::string> unchecked = what_to_give(verification, input);
    if (arguments.format != commands::OutputFormat::text) {
        boost::json::object out{{"file", file->facts.path.string()},
                                {"sha256", file->facts.sha256}};
        for (auto& [key, value] : to_json(verification)) out[key] = value;
        out["not_checked"] = commands::array_of_texts(unchecked);
        commands::print_value(streams, arguments.format, out);
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
    const auto [command, arguments] = commands::add_command(
        parent, action, "verify",
        "Run the conformance suite against a plugin file, in confined child processes", run_verify);
    command
        .add_option("plugin", arguments.plugin, "Plugin file, or FILE.so#CLASS to check one class")
        ->required();
    commands::add_option(command, "--settings", arguments.settings, "FILE.toml",
                         commands::settings_help);
    commands::add_option(command, "--http", arguments.http, "RECORDING", commands::http_help);
    commands::add_option(command, "--seed", arguments.seed, "N",
                         "Seed of random choices; the same seed gives the same requests")
        ->default_str("1");
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::plugin_tool
