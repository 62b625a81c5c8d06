/// `capstan plugin new`: writes a plugin project that builds, is tested and does something
/// sensible.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::commands {

struct NewPlugin {
    std::string kind;      ///< one of known_templates
    std::string language;  ///< "cpp", "c" or "rust"
    std::string name;      ///< of the plugin, its class and its files: lower case, digits and '_'
    std::optional<std::filesystem::path>
        directory{};        ///< where the project goes; the name, if not set
    std::string variant{};  ///< of several templates of the kind and language; empty: the first
};

/// "fewest_nodes" -> "FewestNodes"
std::string class_name_of(std::string_view name);

/// What there are templates for, each kind with its languages: "expander (cpp, c, rust), cloud (cpp
/// http, cpp memory, c)".
std::string known_templates();

/// Writes the project; the answer is its directory, which must not exist yet or be empty. All of it
/// is there or none: it is written beside its place and then moved. `invalid_argument` for a kind,
/// language or name that cannot be; `conflict` when something is in the way; `unavailable` when the
/// files cannot be written.
Result<std::filesystem::path> write_plugin_project(const NewPlugin& plugin);

/// The command: writes the project and tells on `out` how to build it. Exit code 2 for what cannot
/// be asked for, 1 when it could not be done.
int plugin_new(const NewPlugin& plugin, std::ostream& out, std::ostream& err);

// The projects that `capstan plugin new` can write, embedded at build time; plugin_templates.txt
// names them.

struct TemplateFile {
    std::string_view path;
    std::string_view text;
};

/// A project that builds as it stands, under the name `name`.
struct PluginTemplate {
    std::string_view kind;      ///< "expander"
    std::string_view language;  ///< "cpp", "c" or "rust"
    std::string_view variant;   ///< "http", where the kind has several in that language
    std::string_view name;      ///< in snake_case
    std::vector<TemplateFile> files;
};

const std::vector<PluginTemplate>& plugin_templates();

}  // namespace capstan::commands
