/* capstan/abi/service_state.h - "capstan.state/1": a few small values that outlive the process. Granted by
 * `grants.state = true`. Keys belong to the instance; 64 KiB in all. Where several hosts share a cluster the values go
 * on from leader to leader: a key may hold a value, at a revision, that this process never wrote. So read before each
 * write, and go by what is there. */
#ifndef CAPSTAN_ABI_SERVICE_STATE_H
#define CAPSTAN_ABI_SERVICE_STATE_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_STATE "capstan.state/1"

typedef struct capstan_state {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Calls `fn` with the value and its revision before returning. CAPSTAN_E_NOT_FOUND: no such key.
     *  CAPSTAN_E_UNAVAILABLE: cannot be read. Then `fn` is not called. */
    capstan_status (*get)(const capstan_host *host, capstan_str key,
                          void (*fn)(void *user, capstan_str value, uint64_t revision) CAPSTAN_NOEXCEPT,
                          void *user) CAPSTAN_NOEXCEPT;
    /** [any] Writes if the key still has `if_revision` (0: does not exist) and leaves the new revision in
     *  `*new_revision` (may be NULL). CAPSTAN_E_CONFLICT: it has another. CAPSTAN_E_QUOTA: no room.
     *  CAPSTAN_E_INVALID_ARGUMENT: a key is 1 to 253 bytes long. CAPSTAN_E_UNAVAILABLE: cannot be written.
     *  Then everything is as it was. */
    capstan_status (*put)(const capstan_host *host, capstan_str key, capstan_str value, uint64_t if_revision,
                          uint64_t *new_revision) CAPSTAN_NOEXCEPT;
} capstan_state;

CAPSTAN_END_DECLS
#endif
