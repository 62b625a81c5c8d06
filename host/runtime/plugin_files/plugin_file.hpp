/// From a path to a plugin file that has been read, understood and found fit to load. Runs none of
/// its code.
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

#include "runtime/plugin_files/elf_file.hpp"
#include "runtime/plugin_files/needed_libraries.hpp"
#include "runtime/plugin_files/plugin_note.hpp"
#include "runtime/plugin_files/trust.hpp"

namespace capstan::runtime::plugin_files {

/// What is known of a plugin file without running it.
struct PluginFacts {
    std::filesystem::path path;  ///< where it was read, links resolved
    std::string sha256;
    std::size_t size = 0;
    uid_t owner = 0;
    mode_t mode = 0;  ///< permissions, without the file's type
    ElfFacts elf;
    PluginNote note;
    std::vector<NeededLibrary> libraries;
    /// Ways for code of others that do not keep the file out; see read_plugin_file.
    std::vector<std::string> warnings;
};

/// The facts, and the very bytes they are true of: whatever happens to the file later, these were
/// checked.
struct PluginFile {
    PluginFacts facts;
    std::vector<std::byte> bytes;
};

/// Bytes of the entry of ABI 1.0; later minors append to it.
constexpr std::size_t entry_size_min =
    offsetof(capstan_entry, classes) + sizeof(capstan_entry::classes);

/// Larger files are refused unread.
constexpr std::size_t plugin_file_size_max = std::size_t{512} << 20;

/// Reads `path` (absolute, without links, as find_plugin answers) once and checks, in this order:
/// the users that may write it, its size, from its first pages whether it is an ELF file with a
/// note, its pin, its ELF structure, its note, its one exported symbol, the libraries that are
/// loaded with it. Those of a pinned file are held to the rules of trust.hpp, as are those beside
/// any file or on a run path of its; what is doubtful about others is in the facts. Every refusal
/// is `invalid_config`, "plugin /path/x.so: <reason>".
Result<PluginFile> read_plugin_file(const std::filesystem::path& path,
                                    const std::optional<std::string>& pin = std::nullopt);

/// What a `[plugin.ID]` table says about its file, or a command line.
struct PluginRequest {
    std::string file;                        ///< a path or a shipped plugin's name, see find_plugin
    std::optional<std::string> sha256 = {};  ///< the pin
    PathOrigin origin = PathOrigin::configuration;
};

/// find_plugin and read_plugin_file, with the pin demanded where the policy asks for one.
Result<PluginFile> read_plugin(const PluginRequest& request, const TrustPolicy& policy);

// The schema of a class's settings, as the plugin describes it.

/// Room for `size` bytes of text that a plugin lends; refuses a length without a pointer and longer
/// texts.
Result<std::string_view> checked_text(capstan_str text, std::string_view what,
                                      std::size_t size_max);

/// An array whose elements hold at least `element_min` bytes each, properly aligned, at most
/// `count_max` of them.
Result<void> check_array(capstan_array array, std::string_view what, std::size_t element_min,
                         std::uint32_t count_max);

/// Refuses fields without a key, keys that stand there twice, unknown types, an enum without
/// values, and schemas that are too deep or too large (which one that contains itself is). Says
/// which field.
Result<void> check_fields(capstan_array fields);

}  // namespace capstan::runtime::plugin_files
