#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/output_format.hpp"
#include "commands/verification.hpp"

namespace capstan::commands {
namespace {

struct VerifyArguments {
    std::string plugin, settings;
    std::uint64_t seed = 1;
    std::shared_ptr<OutputFormat> format;
};

int run_verify(const VerifyArguments& arguments, Streams streams) {
    const PluginName name = parse_plugin_name(arguments.plugin);
    const auto settings = read_settings(arguments.settings);
    if (!settings || !settings->table) {
        streams.err << (settings ? settings->diagnostics.text()
                                 : "capstan: " + settings.error().message + "\n");
        return exit_usage;
    }
    const auto file = runtime::read_plugin(
        {.file = name.file, .sha256 = {}, .origin = runtime::PathOrigin::command_line}, {});
    if (!file) {
        streams.err << "capstan: " << file.error().message << '\n';
        return exit_failed;
    }
    const Verification verification = verify(*file, name.class_id, *settings, arguments.seed);
    if (*arguments.format != OutputFormat::text) {
        boost::json::object out{{"file", file->facts.path.string()},
                                {"sha256", file->facts.sha256}};
        for (auto& [key, value] : to_json(verification)) out[key] = value;
        print_value(streams, *arguments.format, out);
    } else {
        streams.out << testing::to_text(verification.results);
        for (const std::string& lack : verification.confinement_lacks)
            streams.err << "capstan: the checks were not wholly confined: " << lack << '\n';
    }
    return verification.has_passed() ? exit_ok : exit_failed;
}

}  // namespace

void add_plugin_verify(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "verify", "Run the conformance suite against a plugin file, in confined child processes");
    auto arguments = std::make_shared<VerifyArguments>();
    command
        .add_option("plugin", arguments->plugin, "FILE.so, or FILE.so#CLASS for one class alone")
        ->required();
    command
        .add_option("--settings", arguments->settings,
                    "A TOML file with the class's settings at its top level")
        ->type_name("FILE.toml");
    command
        .add_option("--seed", arguments->seed,
                    "Of the questions asked; the same seed asks the same ones")
        ->type_name("N")
        ->default_str("1");
    arguments->format = add_output_format(command);
    command.callback([&action, arguments] {
        action = [arguments](Streams streams) { return run_verify(*arguments, streams); };
    });
}

}  // namespace capstan::commands
