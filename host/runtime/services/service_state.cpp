#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

/// What went wrong with a store is an operator's business; a plugin's own doing is not.
capstan_status answer(const HostContext& of, const Error& error) {
    if (error.code == ErrorCode::unavailable) of.say(LogLevel::warn, error.message);
    return static_cast<capstan_status>(error.code);
}

capstan_status get(const capstan_host* host, capstan_str key,
                   void (*fn)(void*, capstan_str, std::uint64_t) CAPSTAN_NOEXCEPT,
                   void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.state() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<StoredValue> stored = of.state()->get(of.identity().id, text(key));
        if (!stored) return answer(of, stored.error());
        distrusted(fn)(user, str(stored->value), stored->revision);
        return CAPSTAN_OK;
    });
}

capstan_status put(const capstan_host* host, capstan_str key, capstan_str value,
                   std::uint64_t if_revision, std::uint64_t* new_revision) noexcept {
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.state() == nullptr) return CAPSTAN_E_PERMISSION;
        if (value.len > StateStore::size_limit) return CAPSTAN_E_QUOTA;
        const auto written = of.state()->put(of.identity().id, text(key), text(value), if_revision);
        if (!written) return answer(of, written.error());
        if (new_revision != nullptr) *new_revision = *written;
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_state state{sizeof state, 0, &get, &put};

}  // namespace capstan::runtime::services
