/// What any shared library says of the libraries that are loaded with it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/plugin_files/elf_file.hpp"
#include "runtime/plugin_files/partial_file.hpp"

namespace capstan::runtime::plugin_files {

struct LibraryNeeds {
    std::string soname{};                      ///< empty: none
    std::vector<std::string> needed{};         ///< DT_NEEDED, in order
    std::vector<std::string> early_folders{};  ///< DT_RPATH, as written
    std::vector<std::string> late_folders{};   ///< DT_RUNPATH, as written
};

/// Reads the few pages of `file` that tell. Refuses what is no complete shared object of this
/// host's architecture.
Result<LibraryNeeds> read_library_needs(PartialFile& file);

/// The parts of a list of folders that colons separate.
std::vector<std::string> split_folders(std::string_view list);

// Where the dynamic loader of this process looks for libraries that have no folder in their name.

struct LoaderPaths {
    std::vector<std::filesystem::path> environment;  ///< LD_LIBRARY_PATH
    std::vector<std::byte> cache;                    ///< of ldconfig; empty: there is none
    std::vector<std::filesystem::path> defaults;     ///< looked into last
    /// Where a library of this name that the process has already comes from; empty: it has none.
    std::function<std::filesystem::path(const std::string& name)> find_loaded;

    static LoaderPaths of_this_process();
};

/// The files that the cache, bytes of /etc/ld.so.cache, names for the library `name` on this
/// architecture, in its order: several where there are variants for newer processors. Any bytes at
/// all give an answer.
std::vector<std::filesystem::path> find_in_cache(std::span<const std::byte> cache,
                                                 std::string_view name);

// The libraries that the dynamic loader would load with a plugin, and whether others than root and
// this process' user could put code of theirs in their place.

struct NeededLibrary {
    enum class Found { loaded, run_path, environment, system, path, nowhere };

    std::string name;       ///< as it is asked for
    std::string needed_by;  ///< name of a library; empty: the plugin itself
    Found found = Found::nowhere;
    std::filesystem::path file;  ///< as the loader opens it; empty: nowhere
};

/// A way for code of others into this process, as a sentence that goes on behind the plugin's name.
struct LibraryWarning {
    std::string sentence;
    /// It concerns a run path or a library beside the plugin: what came with the plugin, and not
    /// what the machine has.
    bool is_the_plugins = false;
};

struct NeededLibraries {
    std::vector<NeededLibrary> libraries;  ///< the plugin's own in order, then what those need
    std::vector<LibraryWarning> warnings;
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

}  // namespace capstan::runtime::plugin_files
