/// All plugin libraries of the process. [load]
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/plugin_library.hpp"
#include "plugin_runtime/plugin_files/private_copies.hpp"

namespace capstan::plugin_runtime::plugin_files {

struct KeptLibrary {
    std::filesystem::path file;
    std::string because;  ///< "is in use", or see reason_to_keep
};

struct UnloadReport {
    std::vector<std::filesystem::path> unloaded;
    std::vector<KeptLibrary> kept;
};

/// Loads each content once: two files with equal bytes are one library. Only unload_unused()
/// unloads a library; dropping the last pointer does not. Outlives all instances. Used by one
/// thread at a time.
class LibraryRegistry {
public:
    /// Private copies go to the first of `places` that is suitable; see PrivateCopies.
    explicit LibraryRegistry(
        std::vector<std::filesystem::path> places = PrivateCopies::default_places())
        : places_(std::move(places)) {}

    /// The library of `file`. All errors are `invalid_config`, "plugin /path/x.so: <reason>", and
    /// leave the registry unchanged.
    Result<std::shared_ptr<const PluginLibrary>> load(const PluginFile& file);

    /// Writes the private copy of `file` without loading it, for a child process that may not write
    /// files and then calls load(). Returns the descriptor of the folder of copies, through which
    /// load() may have to open the copy, so the child must keep it open. This object owns it.
    Result<int> prepare(const PluginFile& file);

    /// read_plugin, then load.
    Result<std::shared_ptr<const PluginLibrary>> load(const PluginRequest& request,
                                                      const TrustPolicy& policy);

    /// Unloads each library that no other owner uses and that can be unloaded, and verifies with
    /// the dynamic loader that it is unloaded. The report has the reason for each library that
    /// stays.
    UnloadReport unload_unused();

    /// Sorted by hash.
    std::vector<std::shared_ptr<const PluginLibrary>> libraries() const;

private:
    Result<std::filesystem::path> copy(const PluginFile& file);
    Result<std::shared_ptr<PluginLibrary>> open(const PluginFile& file);
    PrivateCopies& private_copies() {
        CAPSTAN_ASSERT(copies_, "there is no folder of private copies");
        return *copies_;
    }

    std::vector<std::filesystem::path> places_;
    std::optional<PrivateCopies> copies_;  // created with the first library
    std::map<std::string, std::shared_ptr<PluginLibrary>> by_hash_;
};

}  // namespace capstan::plugin_runtime::plugin_files
