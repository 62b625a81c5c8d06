/// Commands that are programs of their own: `capstan NAME` runs `capstan-NAME`, as git and kubectl
/// do. Our own programs are in the folder of `capstan`; those of vendors are there or on PATH.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace CLI {
class App;
}

namespace capstan::commands {

/// A command of Capstan that another of our programs has.
struct ExternalCommand {
    const char* name;         ///< "plugin"
    const char* program;      ///< "capstan-plugin"
    const char* description;  ///< for the help of the program that runs it
    bool passes_name;         ///< the program gets NAME as its first argument
};

inline constexpr ExternalCommand plugin_command{
    "plugin", "capstan-plugin", "List, inspect, verify, call and create plugins", false};
inline constexpr ExternalCommand simulate_command{
    "simulate", "capstan-simulator",
    "Run the real engine and plugins against an in-memory cluster in virtual time", true};
inline constexpr ExternalCommand cluster_command{
    "cluster", "capstan-simulator",
    "Serve a scenario as a live cluster on loopback, for kubectl and `capstan run`", true};
inline constexpr ExternalCommand replay_command{
    "replay", "capstan-simulator",
    "Repeat the decision of a recorded pass and print the differences", true};

/// All of them. A new one is one more row in external_command.cpp.
std::span<const ExternalCommand> shipped_commands();

/// Adds the command, so that the help of `app` lists it. Any arguments of it are accepted.
void add_external_command(CLI::App& app, const ExternalCommand& command);

/// For the help of `app`: below which path each external command is, and the programs of vendors.
/// Reads folders.
void list_programs(CLI::App& app, std::span<const ExternalCommand> commands);

/// The file of this name in the folder of this program. The error says why it cannot be executed.
Result<std::filesystem::path> program_beside(std::string_view file);

/// Whether a person typed this command: standard input and standard error are terminals.
bool is_interactive();

/// Where programs of vendors are looked for: the folder of this program, then, if `searches_path`,
/// the absolute folders of PATH.
std::vector<std::filesystem::path> program_folders(bool searches_path);

/// The first program `capstan-NAME` of these folders. Absent: there is none, or `name` has other
/// characters than a-z, 0-9, - and _, or the program is one of our own.
std::optional<std::filesystem::path> find_program(
    std::string_view name, const std::vector<std::filesystem::path>& folders);

/// What `find_program` finds, by name.
std::map<std::string, std::filesystem::path> programs_in(
    const std::vector<std::filesystem::path>& folders);

/// Replaces this process by the program. `arguments` are without the program's name. Returns only
/// if the program cannot be executed.
Error execute(const std::filesystem::path& program, std::vector<const char*> arguments);

/// What one of our programs prints for --help-all. The error is that of `program_beside`, or says
/// how the program ended.
Result<std::string> help_of_all_commands(std::string_view program);

}  // namespace capstan::commands
