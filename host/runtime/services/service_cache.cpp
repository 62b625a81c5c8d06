#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

/// What is wrong with a folder is the operator's to mend.
capstan_status cache_answer(const HostContext& of, const Error& error) {
    if (error.code == ErrorCode::unavailable) of.say(LogLevel::warn, error.message);
    return static_cast<capstan_status>(error.code);
}

capstan_status get_blob(const capstan_host* host, capstan_str name,
                        void (*fn)(void*, capstan_str, std::int64_t) CAPSTAN_NOEXCEPT,
                        void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.cache() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<CachedBlob> blob = of.cache()->get(of.identity().id, text(name));
        if (!blob) return cache_answer(of, blob.error());
        distrusted(fn)(user, str(blob->value), unix_ns(blob->put));
        return CAPSTAN_OK;
    });
}

capstan_status put_blob(const capstan_host* host, capstan_str name, capstan_str value) noexcept {
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.cache() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<void> written = of.cache()->put(of.identity().id, text(name), text(value));
        return written ? CAPSTAN_OK : cache_answer(of, written.error());
    });
}

capstan_status remove_blob(const capstan_host* host, capstan_str name) noexcept {
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.cache() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<void> removed = of.cache()->remove(of.identity().id, text(name));
        return removed ? CAPSTAN_OK : cache_answer(of, removed.error());
    });
}

}  // namespace

const capstan_cache cache{sizeof cache, 0, &get_blob, &put_blob, &remove_blob};

}  // namespace capstan::runtime::services
