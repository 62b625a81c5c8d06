/// The Capstan note of a plugin file: its id, its kinds and the ABI it needs, known before any of
/// its code runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/elf_file.hpp"

namespace capstan::plugin_runtime::plugin_files {

struct PluginNote {
    std::uint16_t abi_major = 0;
    std::uint16_t abi_minor_built = 0;     ///< information only
    std::uint16_t abi_minor_required = 0;  ///< at most what this host offers
    std::string sdk;                       ///< release of the SDK it was built with
    std::string plugin_id;                 ///< "acme.score"
    std::string version;                   ///< the plugin's own
    std::vector<std::string> kinds;        ///< "capstan.expander/1", as listed
};

/// Finds and checks the note. `notes` were read from `bytes`. Refuses a file without a note,
/// another magic or major version, a newer minor version than this host's, and malformed texts.
Result<PluginNote> read_note(std::span<const std::byte> bytes, const std::vector<ElfNote>& notes);
inline Result<PluginNote> read_note(std::span<const std::byte> bytes, const ElfFacts& elf) {
    return read_note(bytes, elf.notes);
}

/// Whether `text` is like "capstan.expander/1": lower-case letters, digits, '.', '_' and '-', then
/// '/' and a revision.
bool is_kind(std::string_view text);

/// "0x31504143", as the headers write a magic number.
std::string magic_text(std::uint32_t magic);

}  // namespace capstan::plugin_runtime::plugin_files
