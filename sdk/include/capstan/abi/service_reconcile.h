/* capstan/abi/service_reconcile.h - "capstan.reconcile/1": asks for a reconcile. Granted to controllers. */
#ifndef CAPSTAN_ABI_SERVICE_RECONCILE_H
#define CAPSTAN_ABI_SERVICE_RECONCILE_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_RECONCILE "capstan.reconcile/1"

typedef struct capstan_reconcile_service {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Requests a call of `capstan_controller.reconcile` within `within_ns` from now (<= 0:
     *  as soon as possible). Several requests become one, the earliest. So a controller asks at
     *  each change, and passes the time for which it wants to batch changes. A request during a
     *  reconcile leads to another one after it. While the host does not lead, a request is dropped,
     *  since leading begins with a reconcile. CAPSTAN_E_CANCELLED: the instance stops. */
    capstan_status (*want)(const capstan_host *host, int64_t within_ns) CAPSTAN_NOEXCEPT;
} capstan_reconcile_service;

CAPSTAN_END_DECLS
#endif
