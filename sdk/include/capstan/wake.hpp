/// Asking the host for a pass before its time.
#pragma once

#include <string_view>

#include <capstan/abi/service_wake.h>
#include <capstan/host.hpp>
#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Has the next pass begin soon; `why` is for the log: `wake(host, "spot notice for i-0abc")`. See
/// capstan_wake. A host that has no such service passes at its own pace: `unsupported`. [any
/// thread]
inline Result<void> wake(const Host& host, std::string_view why) {
    const auto* service = host.service<capstan_wake>(CAPSTAN_SERVICE_WAKE);
    const capstan_status status = CAPSTAN_HAS(service, capstan_wake, wake)
                                      ? service->wake(host.raw(), str(why))
                                      : CAPSTAN_E_UNSUPPORTED;
    if (status == CAPSTAN_OK) return {};
    return fail(error_code(status), "the host refused to be woken");
}

CAPSTAN_NAMESPACE_END
