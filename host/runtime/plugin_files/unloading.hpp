/// When the code of a plugin may leave the process.
///
/// dlclose reports success whether or not it unmapped anything, and unmapping code that something
/// still leads to is a crash much later. So a library is unloaded only when its file shows that
/// nothing can lead to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/plugin_files/elf_file.hpp"

namespace capstan::runtime::plugin_files {

/// Why a library with these facts stays loaded for ever ("starts threads of its own (imports
/// pthread_create)"), or nothing when it can be unloaded.
std::optional<std::string> reason_to_keep(const ElfFacts& elf);

/// Whether the dynamic loader still has the library that was opened under this path.
bool is_mapped(const std::filesystem::path& copy);

}  // namespace capstan::runtime::plugin_files
