/* capstan/abi/service_state.h - "capstan.state/1": a few small values that outlive the process. Granted by
 * `grants.state = true`. Keys belong to the instance; 64 KiB in all. When several hosts share a cluster, the next leader
 * has the values of the last one: a key may hold a value, at a revision, that this process never wrote. So
 * read before each write, and base the write on what was read. */
#ifndef CAPSTAN_ABI_SERVICE_STATE_H
#define CAPSTAN_ABI_SERVICE_STATE_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_STATE "capstan.state/1"

typedef struct capstan_state {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Calls `fn` with the value and its revision before returning. After an error `fn` is not called.
     *  CAPSTAN_E_NOT_FOUND: no such key. CAPSTAN_E_UNAVAILABLE: the value cannot be read. */
    capstan_status (*get)(const capstan_host *host, capstan_str key,
                          void (*fn)(void *user, capstan_str value, uint64_t revision) CAPSTAN_NOEXCEPT,
                          void *user) CAPSTAN_NOEXCEPT;
    /** [any] Writes if the key still has `if_revision` (0: does not exist) and leaves the new
     *  revision in `*new_revision` (may be NULL). CAPSTAN_E_CONFLICT: the key has another revision.
     *  CAPSTAN_E_QUOTA: there is no room. CAPSTAN_E_INVALID_ARGUMENT: the key is not 1 to 253 bytes
     *  long. CAPSTAN_E_UNAVAILABLE: the value cannot be written, or may be written later; `get`
     *  shows it. After any other error nothing has changed. */
    capstan_status (*put)(const capstan_host *host, capstan_str key, capstan_str value, uint64_t if_revision,
                          uint64_t *new_revision) CAPSTAN_NOEXCEPT;
} capstan_state;

CAPSTAN_END_DECLS
#endif
