/// All plugin libraries of the process. [load]
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/plugin_files/plugin_library.hpp"
#include "runtime/plugin_files/private_copies.hpp"

namespace capstan::runtime::plugin_files {

struct KeptLibrary {
    std::filesystem::path file;
    std::string because;  ///< "is in use", or see reason_to_keep
};

struct UnloadReport {
    std::vector<std::filesystem::path> unloaded;
    std::vector<KeptLibrary> kept;
};

/// Loads each content once: the same bytes under two names are one library. A library is never
/// unloaded by dropping it, only by unload_unused. Outlives every instance; used by one thread at a
/// time.
class LibraryRegistry {
public:
    /// Private copies go to the first of `places` that will do; see PrivateCopies.
    explicit LibraryRegistry(
        std::vector<std::filesystem::path> places = PrivateCopies::default_places())
        : places_(std::move(places)) {}

    /// The library of `file`. Every refusal is `invalid_config`, "plugin /path/x.so: <reason>", and
    /// leaves the registry as it was.
    Result<std::shared_ptr<const PluginLibrary>> load(const PluginFile& file);

    /// Writes the private copy of `file` that load will open, without opening it: for a child of
    /// this process that may write no file. The answer is the descriptor that a copy may have to be
    /// opened through, and that such a child must keep; it is this object's.
    Result<int> prepare(const PluginFile& file);

    /// read_plugin, then load.
    Result<std::shared_ptr<const PluginLibrary>> load(const PluginRequest& request,
                                                      const TrustPolicy& policy);

    /// Unloads what only the registry holds and what can be unloaded, asks the dynamic loader
    /// whether it has gone, and says of everything else why it stays.
    UnloadReport unload_unused();

    /// In the order of their hashes.
    std::vector<std::shared_ptr<const PluginLibrary>> libraries() const;

private:
    Result<std::filesystem::path> copy(const PluginFile& file);
    Result<std::shared_ptr<PluginLibrary>> open(const PluginFile& file);

    std::vector<std::filesystem::path> places_;
    std::optional<PrivateCopies> copies_;  // made for the first library
    std::map<std::string, std::shared_ptr<PluginLibrary>> by_hash_;
};

}  // namespace capstan::runtime::plugin_files
