/// Requests an early pass.
#pragma once

#include <string_view>

#include <capstan/abi/service_wake.h>
#include <capstan/host.hpp>
#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Makes the next pass begin soon; `why` is for the log: `wake(host, "spot notice for i-0abc")`.
/// See capstan_wake. `unsupported`: this host has no such service. [any thread]
inline Result<void> wake(const Host& host, std::string_view why) {
    const auto* service = host.service<capstan_wake>(CAPSTAN_SERVICE_WAKE);
    const capstan_status status = CAPSTAN_HAS(service, capstan_wake, wake)
                                      ? service->wake(host.raw(), str(why))
                                      : CAPSTAN_E_UNSUPPORTED;
    if (status == CAPSTAN_OK) return {};
    return fail(error_code(status), "the host refused an early pass");
}

CAPSTAN_NAMESPACE_END
