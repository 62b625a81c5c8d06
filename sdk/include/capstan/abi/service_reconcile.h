/* capstan/abi/service_reconcile.h - "capstan.reconcile/1": asking to be called. Granted to controllers. */
#ifndef CAPSTAN_ABI_SERVICE_RECONCILE_H
#define CAPSTAN_ABI_SERVICE_RECONCILE_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_RECONCILE "capstan.reconcile/1"

typedef struct capstan_reconcile_service {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Has `capstan_controller.reconcile` called within `within_ns` from now (<= 0: as soon as can be).
     *  Wishes become one, the earliest; so a controller that hears of many changes wishes at each of them, with
     *  the time it likes to gather them. During a reconcile: another one follows. While the host does not lead
     *  a wish is dropped, for the first reconcile comes unasked. CAPSTAN_E_CANCELLED: the instance stops. */
    capstan_status (*want)(const capstan_host *host, int64_t within_ns) CAPSTAN_NOEXCEPT;
} capstan_reconcile_service;

CAPSTAN_END_DECLS
#endif
