#include "commands/usage_error.hpp"

#include <CLI/CLI.hpp>

#include <string_view>
#include <vector>

#include "runtime/config/text.hpp"

namespace capstan::commands {
namespace {

/// The innermost command that the line names.
const CLI::App& innermost(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
    return *at;
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!each->get_name().empty()) out.push_back(each->get_name());
    return out;
}

/// Also those of its groups of options, which are commands without a name.
std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!each->get_name().empty()) continue;
        const std::vector<std::string> grouped = options_of(*each);
        out.insert(out.end(), grouped.begin(), grouped.end());
    }
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    return out;
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
}

/// `word` was left over by the command.
std::string unknown(const CLI::App& command, const std::string& word) {
    const std::string shown = runtime::config::shortened(word, 60);
    if (word.starts_with('-')) {
        const std::string option = word.substr(0, word.find('='));
        return "there is no option '" + shown + "'" +
               runtime::config::suggestion(option, options_of(command));
    }
    const std::vector<std::string> commands = commands_of(command);
    if (commands.empty()) return "'" + shown + "' was not expected";
    const std::string meant = runtime::config::suggestion(word, commands);
    return "there is no command '" + shown + "'" +
           (meant.empty() ? "; there are " + joined(commands) : meant);
}

std::string what_is_wrong(const CLI::App& command, const CLI::ParseError& error) {
    const std::vector<std::string> left = command.remaining();
    if (!left.empty()) return unknown(command, left.front());
    const std::vector<std::string> commands = commands_of(command);
    const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (is_missing && !commands.empty()) return "a command is missing: " + joined(commands);
    return error.what();
}

/// "capstan config print".
std::string line_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return (parent == nullptr ? "" : line_of(*parent) + " ") + command.get_name();
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = innermost(app);
    const std::string line = line_of(command);
    return line + ": " + what_is_wrong(command, error) + "\nRun `" + line + " --help` for help.\n";
}

}  // namespace capstan::commands
