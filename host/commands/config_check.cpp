#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/prepared.hpp"

namespace capstan::commands {
namespace {

std::string count_of(std::size_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

int check(const std::string& file, Streams streams) {
    const auto prepared = prepare(file);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->is_sound()) {
        streams.err << file << ": " << count_of(prepared->loaded.diagnostics.errors(), "error") << '\n';
        return exit_usage;
    }
    streams.out << file << ": ok, " << count_of(prepared->plugins.size(), "plugin") << " loaded\n";
    return exit_ok;
}

}  // namespace

void add_config_check(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "check", "Read a configuration, load its plugins, and print everything that is wrong with either");
    auto file = add_config_file(command);
    command.callback([&action, file] { action = [file](Streams streams) { return check(*file, streams); }; });
}

}  // namespace capstan::commands
