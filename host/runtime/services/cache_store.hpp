/// Blobs of instances that outlive the process on this machine, behind capstan.cache/1.
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

namespace capstan::runtime::services {

/// A folder for each instance, a file for each blob. A file is replaced as a whole: whatever
/// interrupts a write, the old or the new one is there. Hosts that share the folder see each
/// other's blobs. An operator may delete any of it at any time. Takes as long as the disk does.
/// [any thread]
class CacheStore {
public:
    struct Limits {
        std::size_t blob = std::size_t{64} << 20;
        std::size_t instance = std::size_t{256} << 20;  ///< all blobs of one
    };
    explicit CacheStore(std::filesystem::path folder) : CacheStore(std::move(folder), Limits()) {}
    CacheStore(std::filesystem::path folder, Limits limits)
        : folder_(std::move(folder)), limits_(limits) {}
    CacheStore(const CacheStore&) = delete;
    CacheStore& operator=(const CacheStore&) = delete;

    /// `invalid_argument`: no such name can be; `not_found`: there is none.
    Result<CachedBlob> get(const PluginInstanceId& owner, std::string_view name) const;
    /// `quota`: there is no room. After any error everything is as it was.
    Result<void> put(const PluginInstanceId& owner, std::string_view name, std::string_view value);
    Result<void> remove(const PluginInstanceId& owner, std::string_view name);

private:
    Result<std::filesystem::path> file_of(const PluginInstanceId& owner,
                                          std::string_view name) const;

    const std::filesystem::path folder_;
    const Limits limits_;
    std::mutex mutex_;  ///< one write after the other, so that what is there is counted right
};

}  // namespace capstan::runtime::services
