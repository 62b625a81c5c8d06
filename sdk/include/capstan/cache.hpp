/// Blobs that are kept on this machine across restarts, and may be lost at any time.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/abi/service_cache.h>
#include <capstan/host.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN

// These functions wait for the disk, so they must be called on a thread that may block:
//     const auto read = [this] { return read_cache(host_, "machine-types"); };
//     const Result<CachedBlob> types = co_await blocking(host_, read);
// `unsupported`: this host has no cache, or the cache is not granted; the instance must work
// without it.

struct CachedBlob {
    std::string value;
    Time put{};  ///< when it was written, by the machine's clock
};

namespace detail {

inline Error cache_error(capstan_status status, std::string_view name, std::string_view what) {
    return {error_code(status), "cache " + std::string(name) + ": " + std::string(what)};
}
inline Error no_cache(std::string_view name) {
    return cache_error(CAPSTAN_E_UNSUPPORTED, name, "this host has no cache, or it is not granted");
}

}  // namespace detail

/// `not_found`: there is no blob with that name.
inline Result<CachedBlob> read_cache(const Host& host, std::string_view name) {
    const auto* cache = host.service<capstan_cache>(CAPSTAN_SERVICE_CACHE);
    if (!CAPSTAN_HAS(cache, capstan_cache, get)) return tl::unexpected(detail::no_cache(name));
    CachedBlob out;
    auto store = [&out](capstan_str value, std::int64_t put_ns) {
        out = {std::string(text(value)), time_from_unix_ns(put_ns)};
    };
    detail::Caught<decltype(store)> caught{store};
    const capstan_status status = cache->get(
        host.raw(), str(name),
        [](void* user, capstan_str value, std::int64_t put_ns) noexcept {
            detail::Caught<decltype(store)>::call(user, value, put_ns);
        },
        &caught);
    if (caught.thrown) std::rethrow_exception(caught.thrown);
    if (status != CAPSTAN_OK)
        return tl::unexpected(detail::cache_error(status, name, "cannot be read"));
    return out;
}

/// Replaces the blob with that name, if there is one. `quota`: the cache has no room for it.
inline Result<void> write_cache(const Host& host, std::string_view name, std::string_view value) {
    const auto* cache = host.service<capstan_cache>(CAPSTAN_SERVICE_CACHE);
    if (!CAPSTAN_HAS(cache, capstan_cache, put)) return tl::unexpected(detail::no_cache(name));
    const capstan_status status = cache->put(host.raw(), str(name), str(value));
    if (status != CAPSTAN_OK)
        return tl::unexpected(detail::cache_error(status, name, "cannot be written"));
    return {};
}

/// `not_found`: there is no blob with that name.
inline Result<void> remove_from_cache(const Host& host, std::string_view name) {
    const auto* cache = host.service<capstan_cache>(CAPSTAN_SERVICE_CACHE);
    if (!CAPSTAN_HAS(cache, capstan_cache, remove)) return tl::unexpected(detail::no_cache(name));
    const capstan_status status = cache->remove(host.raw(), str(name));
    if (status != CAPSTAN_OK)
        return tl::unexpected(detail::cache_error(status, name, "cannot be removed"));
    return {};
}

CAPSTAN_NAMESPACE_END
