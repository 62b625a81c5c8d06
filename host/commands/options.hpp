/// How commands add themselves and their options to the command line, the texts of options that
/// several commands have, and validators whose errors say in a sentence what the option takes.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "commands/command_line.hpp"

namespace capstan::commands {

/// A command that was added, and the arguments that its options fill, which `app` owns.
template <class Arguments>
struct Command {
    CLI::App& app;
    Arguments& arguments;
};

/// Adds a command below `parent`. If the line names it, parsing stores in `action` that `run` gets
/// the arguments; `run` returns the exit code.
template <class Arguments>
Command<std::remove_cvref_t<Arguments>> add_command(CLI::App& parent, Action& action,
                                                    const char* name, const char* description,
                                                    int (*run)(Arguments, Streams)) {
    auto arguments = std::make_shared<std::remove_cvref_t<Arguments>>();
    CLI::App& app = *parent.add_subcommand(name, description);
    app.callback([&action, run, arguments] {
        action = [run, arguments](Streams streams) { return run(*arguments, streams); };
    });
    return {app, *arguments};
}

/// Adds an option or argument that fills `to`. `type` is what the help calls its value: "FILE".
template <class T>
CLI::Option* add_option(CLI::App& app, const char* name, T& to, const char* type,
                        const std::string& description) {
    return app.add_option(name, to, description)->type_name(type);
}

inline constexpr const char* config_help = "Configuration file (TOML)";
inline constexpr const char* scenario_config_help =
    "Configuration file (TOML); replaces the configuration of the scenario";
inline constexpr const char* record_help =
    "Write each pass to a file in this folder, for `capstan replay`";
inline constexpr const char* settings_help =
    "TOML file with the settings of the plugin instance at its top level";
inline constexpr const char* http_help =
    "Recording of an API, or a folder of recordings, with the responses to HTTP requests";

/// Adds `--config FILE`, which is required.
void add_config_file(CLI::App& app, std::string& file);
/// Adds `--set KEY=VALUE`, which may be repeated.
void add_overrides(CLI::App& app, std::vector<std::string>& set);

/// Accepts integers from 1 on.
CLI::Validator at_least_one();
/// Accepts one of these words; case matters.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace capstan::commands
