/// Where the dynamic loader of this process looks for libraries that have no folder in their name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::runtime {

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

}  // namespace capstan::runtime
