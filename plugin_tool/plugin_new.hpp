/// `capstan plugin new`: writes a plugin project that builds and has tests.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::plugin_tool {

struct NewPlugin {
    std::string kind;      ///< "expander"; one of `known_templates`
    std::string language;  ///< "cpp", "c" or "rust"
    std::string name;      ///< names plugin, class and files; lower-case letters, digits and '_'
    /// Where the project goes; absent: the folder `name`.
    std::optional<std::filesystem::path> directory{};
    std::string variant{};  ///< if a kind and language have several; empty: the first
};

/// "fewest_nodes" -> "FewestNodes"
std::string class_name_of(std::string_view name);

/// All templates, each kind with its languages: "expander (cpp, c, rust), cloud (cpp http, cpp
/// memory, c)".
std::string known_templates();

/// Writes the project; the answer is its directory, which must not exist yet or be empty. The
/// project is written into a temporary folder and then moved, so a failure leaves no part of it.
/// `invalid_argument`: no such template, or the name is not allowed. `conflict`: the directory is
/// not empty, or is not a directory. `unavailable`: the files cannot be written.
Result<std::filesystem::path> write_plugin_project(const NewPlugin& plugin);

/// The command: writes the project and prints to `out` how to build it. Exit code 2 for an invalid
/// kind, language or name; 1 for other failures.
int plugin_new(const NewPlugin& plugin, std::ostream& out, std::ostream& err);

// The projects that `capstan plugin new` can write, embedded at build time; plugin_templates.txt
// names them.

struct TemplateFile {
    std::string_view path;
    std::string_view text;
};

/// A project that builds unchanged, under the name `name`.
struct PluginTemplate {
    std::string_view kind;      ///< "expander"
    std::string_view language;  ///< "cpp", "c" or "rust"
    std::string_view variant;   ///< "http", if the kind has several templates in that language
    std::string_view name;      ///< in snake_case
    std::vector<TemplateFile> files;
};

const std::vector<PluginTemplate>& plugin_templates();

}  // namespace capstan::plugin_tool
