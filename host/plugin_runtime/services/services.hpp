/// The function tables of the host's services. All functions find their instance through
/// capstan_host::ctx.
#pragma once

#include <capstan/abi/services.h>

#include "plugin_runtime/services/host_context.hpp"

namespace capstan::plugin_runtime::services {

extern const capstan_ops ops;
extern const capstan_log log;
extern const capstan_metrics metrics;
extern const capstan_cache cache;
extern const capstan_clock clock;
extern const capstan_exec exec;
extern const capstan_http http;
extern const capstan_kube kube;
extern const capstan_reconcile_service reconcile;
extern const capstan_secrets secrets;
extern const capstan_state state;
extern const capstan_wake wake;

inline HostContext& context(const capstan_host* host) noexcept {
    return *static_cast<HostContext*>(host->ctx);
}

/// Runs the body of a service's function: an exception, for example because of a lack of memory,
/// must not reach the plugin.
template <class F>
capstan_status guarded(F&& body) noexcept {
    try {
        return body();
    } catch (...) {
        return CAPSTAN_E_INTERNAL;
    }
}

}  // namespace capstan::plugin_runtime::services
