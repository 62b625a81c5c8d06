/// Behind capstan.cache/1: blobs of instances, which outlive the process on this machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/cache.hpp>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>

namespace capstan::plugin_runtime::services {

/// A folder for each instance, a file for each blob. A file is replaced atomically: after a write
/// that was interrupted there is the old or the new blob. Hosts that share the folder see each
/// other's blobs. An operator may delete any file at any time. Calls block for as long as the disk
/// takes. [any thread]
class CacheStore {
public:
    struct Limits {
        std::size_t blob = std::size_t{64} << 20;
        std::size_t instance = std::size_t{256} << 20;  ///< all blobs of one instance
    };
    explicit CacheStore(std::filesystem::path folder) : CacheStore(std::move(folder), Limits()) {}
    CacheStore(std::filesystem::path folder, Limits limits)
        : folder_(std::move(folder)), limits_(limits) {}
    CacheStore(const CacheStore&) = delete;
    CacheStore& operator=(const CacheStore&) = delete;

    /// `invalid_argument`: the name is not allowed; `not_found`: there is no such blob.
    Result<CachedBlob> get(const PluginInstanceId& owner, std::string_view name) const;
    /// `quota`: the limits do not allow it. After any error the cache is unchanged.
    Result<void> put(const PluginInstanceId& owner, std::string_view name, std::string_view value);
    Result<void> remove(const PluginInstanceId& owner, std::string_view name);

private:
    Result<std::filesystem::path> file_of(const PluginInstanceId& owner,
                                          std::string_view name) const;

    const std::filesystem::path folder_;
    const Limits limits_;
    std::mutex mutex_;  ///< writes exclude each other, so that the size is counted correctly
};

}  // namespace capstan::plugin_runtime::services
