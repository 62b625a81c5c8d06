/// Reads and checks a plugin file before it is loaded. None of its code runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/abi/plugin.h>
#include <capstan/abi/settings.h>
#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/elf_file.hpp"
#include "plugin_runtime/plugin_files/needed_libraries.hpp"
#include "plugin_runtime/plugin_files/plugin_note.hpp"
#include "plugin_runtime/plugin_files/trust.hpp"

namespace capstan::plugin_runtime::plugin_files {

/// The facts about a plugin file, known without running it.
struct PluginFacts {
    std::filesystem::path path;  ///< links resolved
    std::string sha256;
    std::size_t size = 0;
    uid_t owner = 0;
    mode_t mode = 0;  ///< permissions, without the file's type
    ElfFacts elf;
    PluginNote note;
    std::vector<NeededLibrary> libraries;
    /// Library warnings that do not prevent loading; see read_plugin_file.
    std::vector<std::string> warnings;
};

/// The facts, and the bytes that were checked. Later changes of the file do not matter.
struct PluginFile {
    PluginFacts facts;
    std::vector<std::byte> bytes;
};

/// The size of the entry in ABI 1.0. Later minor versions append members.
constexpr std::size_t entry_size_min =
    offsetof(capstan_entry, classes) + sizeof(capstan_entry::classes);

/// Larger files are refused unread.
constexpr std::size_t plugin_file_size_max = std::size_t{512} << 20;

/// Reads `path` (absolute and without links, a result of find_plugin) once. Checks, in this order:
/// the users that may write the file, its size, whether its first pages are those of an ELF file
/// with a note, its pin, its ELF structure, its note, the entry symbol that it exports, and its
/// needed libraries. A needed library of a pinned file, and one that came with any plugin, must
/// satisfy the rules of trust.hpp; other libraries that do not are warnings in the facts. All
/// errors are `invalid_config`, "plugin /path/x.so: <reason>".
Result<PluginFile> read_plugin_file(const std::filesystem::path& path,
                                    const std::optional<std::string>& pin = std::nullopt);

/// The plugin file that a `[plugin.ID]` table or the command line names.
struct PluginRequest {
    std::string file;                        ///< a path or a shipped plugin's name, see find_plugin
    std::optional<std::string> sha256 = {};  ///< the pin
    PathOrigin origin = PathOrigin::configuration;
};

/// find_plugin and read_plugin_file. A missing pin is an error if the request is of the
/// configuration and the policy requires pins.
Result<PluginFile> read_plugin(const PluginRequest& request, const TrustPolicy& policy);

// Checks of the schema of a class's settings, which the plugin provides.

/// A plugin's text as a view. Refuses a length without a pointer, and a text longer than
/// `size_max`.
Result<std::string_view> checked_text(capstan_str text, std::string_view what,
                                      std::size_t size_max);

/// Checks a plugin's array: at most `count_max` aligned elements of at least `element_min` bytes
/// each.
Result<void> check_array(capstan_array array, std::string_view what, std::size_t element_min,
                         std::uint32_t count_max);

/// Refuses fields without a key, duplicate keys, unknown types, an enum without values,
/// contradictory bounds, and schemas that are too deep or too large, such as a schema that contains
/// itself. The message names the field.
Result<void> check_fields(capstan_array fields);

}  // namespace capstan::plugin_runtime::plugin_files
