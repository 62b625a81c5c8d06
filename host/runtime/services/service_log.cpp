#include <algorithm>

#include <capstan/view.hpp>

#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

constexpr std::uint32_t field_limit = 64;

/// A level nobody knows is the nearest one.
LogLevel level_of(std::int32_t level) noexcept {
    return static_cast<LogLevel>(
        std::clamp<std::int32_t>(level, CAPSTAN_LOG_TRACE, CAPSTAN_LOG_ERROR));
}

std::int32_t enabled(const capstan_host* host, std::int32_t level) noexcept {
    const HostContext& of = context(host);
    return guarded([&] { return of.log().is_kept(level_of(level), of.id()) ? 1 : 0; }) == 1 ? 1 : 0;
}

void write(const capstan_host* host, std::int32_t level, capstan_str message,
           capstan_array fields) noexcept {
    guarded([&] {
        const HostContext& of = context(host);
        if (!of.log().is_kept(level_of(level), of.id())) return CAPSTAN_OK;
        LogPairs pairs;
        for (const capstan_kv& field : View<capstan_kv>(fields)) {
            if (pairs.size() == field_limit) break;
            pairs.emplace_back(text(field.key), text(field.value));
        }
        of.log().write(level_of(level), of.id(), text(message), pairs);
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_log log{sizeof log, 0, &enabled, &write};

}  // namespace capstan::runtime::services
