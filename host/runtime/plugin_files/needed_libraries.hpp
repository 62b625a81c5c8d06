/// The libraries that the dynamic loader would load with a plugin, and whether others than root and
/// this process' user could put code of theirs in their place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plugin_files/elf_file.hpp"
#include "runtime/plugin_files/loader_paths.hpp"

namespace capstan::runtime {

struct NeededLibrary {
    enum class Found { loaded, run_path, environment, system, path, nowhere };

    std::string name;       ///< as it is asked for
    std::string needed_by;  ///< name of a library; empty: the plugin itself
    Found found = Found::nowhere;
    std::filesystem::path file;  ///< as the loader opens it; empty: nowhere
};

/// A way for code of others into this process, as a sentence that goes on behind the plugin's name.
struct LibraryDoubt {
    std::string sentence;
    /// It concerns a run path or a library beside the plugin: what came with the plugin, and not
    /// what the machine has.
    bool is_the_plugins = false;
};

struct NeededLibraries {
    std::vector<NeededLibrary> libraries;  ///< the plugin's own in order, then what those need
    std::vector<LibraryDoubt> doubts;
};

/// Looks for each library in the loader's order: in the process, DT_RPATH, LD_LIBRARY_PATH,
/// DT_RUNPATH, the cache of ldconfig, the system's folders; what is found is asked for its own
/// needs, unless the process has it. The rules are those of trust.hpp, for each file, each folder
/// above it and each link on the way, and for each folder that is looked into before. A run path
/// may not be a folder that others can write at all, the sticky bit or not. Nothing is run.
NeededLibraries find_needed(const std::filesystem::path& plugin, const ElfFacts& elf,
                            const LoaderPaths& paths);

/// "run path", "already loaded"
std::string_view name_of(NeededLibrary::Found found);

}  // namespace capstan::runtime
