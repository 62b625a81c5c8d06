/// Whether a plugin's code may be unloaded.
///
/// dlclose reports success whether or not it unmapped the library. If a thread or a callback still
/// refers to unmapped code, the process crashes much later. So a library is unloaded only if its
/// file shows that no such reference can exist.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plugin_runtime/plugin_files/elf_file.hpp"

namespace capstan::plugin_runtime::plugin_files {

/// Why a library with these facts is never unloaded ("starts threads of its own (imports
/// pthread_create)"). Absent: it can be unloaded.
std::optional<std::string> reason_to_keep(const ElfFacts& elf);

/// Whether the dynamic loader still has the library that was opened under this path.
bool is_mapped(const std::filesystem::path& copy);

}  // namespace capstan::plugin_runtime::plugin_files
