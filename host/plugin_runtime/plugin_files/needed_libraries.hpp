/// Finds the libraries that the dynamic loader loads with a plugin, and checks who may write them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/elf_file.hpp"
#include "plugin_runtime/plugin_files/partial_file.hpp"

namespace capstan::plugin_runtime::plugin_files {

struct LibraryNeeds {
    std::string soname{};                      ///< empty: none
    std::vector<std::string> needed{};         ///< DT_NEEDED, in order
    std::vector<std::string> early_folders{};  ///< DT_RPATH, as written
    std::vector<std::string> late_folders{};   ///< DT_RUNPATH, as written
};

/// Reads only the few pages of `file` that are needed. Refuses a file that is no complete shared
/// object of this host's architecture.
Result<LibraryNeeds> read_library_needs(PartialFile& file);

/// The parts of a colon-separated list of folders.
std::vector<std::string> split_folders(std::string_view list);

/// Where this process's dynamic loader searches for libraries that are named without a folder.

struct LoaderPaths {
    std::vector<std::filesystem::path> environment;  ///< LD_LIBRARY_PATH
    std::vector<std::byte> cache;                    ///< of ldconfig; empty: there is none
    std::vector<std::filesystem::path> defaults;     ///< searched last
    /// The file of an already loaded library of this name. Empty: none is loaded.
    std::function<std::filesystem::path(const std::string& name)> find_loaded;

    static LoaderPaths of_this_process();
};

/// The files of the library `name` for this architecture in `cache`, the content of
/// /etc/ld.so.cache, in its order. There are several if variants for newer processors exist. Any
/// bytes are safe.
std::vector<std::filesystem::path> find_in_cache(std::span<const std::byte> cache,
                                                 std::string_view name);

// The libraries that the dynamic loader would load with a plugin, and whether users other than root
// and this process's user could replace them.

struct NeededLibrary {
    enum class Found { loaded, run_path, environment, system, path, nowhere };

    std::string name;       ///< as in DT_NEEDED
    std::string needed_by;  ///< the name of a library; empty: the plugin itself
    Found found = Found::nowhere;
    std::filesystem::path file;  ///< the file that the loader opens; empty: not found
};

/// How another user could bring code into this process, as a sentence to follow the plugin's name.
struct LibraryWarning {
    std::string sentence;
    /// The warning is about a run path or a library that came with the plugin, not about a library
    /// of the machine.
    bool is_about_plugin = false;
};

struct NeededLibraries {
    std::vector<NeededLibrary> libraries;  ///< direct ones in order, then indirect ones
    std::vector<LibraryWarning> warnings;
};

/// Searches for each library in the loader's order: loaded libraries, DT_RPATH, LD_LIBRARY_PATH,
/// DT_RUNPATH, the cache of ldconfig, the system's folders. A library that is found, and not loaded
/// already, is read for its own needs. The rules of trust.hpp apply to each file, each folder above
/// it and each link on its path, and to each folder that is searched before it. Other users must
/// not be able to write a folder of a run path or of LD_LIBRARY_PATH, with or without its sticky
/// bit. No code of the files runs.
NeededLibraries find_needed(const std::filesystem::path& plugin, const ElfFacts& elf,
                            const LoaderPaths& paths);

/// "run path", "already loaded"
std::string_view name_of(NeededLibrary::Found found);

}  // namespace capstan::plugin_runtime::plugin_files
